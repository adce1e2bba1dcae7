package distill

// zhStates are states and turns of a life that also begin the names of things: 单身公寓, 结婚纪念日, 离婚率.
const zhStates = `(?:已婚|未婚|结婚|单身|离婚|离异|订婚|丧偶|退休|失业|待业|离休|下岗|分手|领证|复合|怀孕|流产|出生|去世|过世|升职|晋升|裁员|毕业|买房|买车|骨折|住院|搬家)`

var (
	reStateNamedZh = gated(zhStates)
	// What may stand behind one that is said of somebody: an end, for how long, where to, with whom.
	reStateSaidZh = gated(zhStates + `(?:$|[了过着，,、；;！!~～… ]|的(?:人|状态)?$|已|快|满|好|很久|多|整|近|将近|差不多|[\d一二两三四五六七八九十几半]|成功|生[子娃]|在|于|[到去来回成为当]|有|没|未|无|带|还|但|后|之?前|人士|男|女|汉|狗|贵族|一?个人|状态|的?时候)`)
)

// statedZh reports whether a state that vp names is said of somebody, and does not begin the name of a thing.
func statedZh(vp string) bool { return !reStateNamedZh.match(vp) || reStateSaidZh.match(vp) }

func stateZh(c *clause, m []string) (fact, bool) {
	o := objectOf(c, m[1])
	return fact{object: o}, o != "" && statedZh(c.vp)
}
