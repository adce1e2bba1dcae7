package distill

import (
	"regexp"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Names in a list behind a word for whose they are: "two cats, Biscuit and Moriarty", 我们组就五个人：我、阿Ken、思琪. Each is a
// fact of its own beside what the sentence says.

const (
	zhListedPets = `猫|狗|鹦鹉|兔子?|仓鼠|乌龟|金鱼|猫咪|狗狗`
	zhListedKids = `孩子|娃|双胞胎|女儿|儿子|闺女|龙凤胎`
	listNameEn   = `(?-i:\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)`
)

var (
	reListPetsEn = gated(`(?i)\b(cats|dogs|parrots|rabbits|hamsters|budgies|hens|horses|kittens|puppies|goats|ducks|ferrets|guinea pigs|tortoises|kids|children|twins|sons|daughters|sisters|brothers|girls|boys|nieces|nephews|grandkids|roommates|flatmates|housemates)(?:,|:| \(| are| are called| called| named| —| –)+ (` + listNameEn + `(?:, ` + listNameEn + `)*,? (?:and|&) ` + listNameEn + `)`)
	reListTeamEn = gated(`(?i)\b(?:team|squad|crew|band|group|department|trio|household|family|flat)(?: is| are|:| consists of| has| —| –)+ ((?:me|myself|` + listNameEn + `)(?:, (?:me|myself|` + listNameEn + `))*,? (?:and|&|plus) (?:(?:our|my|an|the) [\p{Ll}]+ )?(?:me|myself|` + listNameEn + `))`)
	reListPetsZh = gated(`(` + zhListedPets + `|` + zhListedKids + `)(?:[，,：:（(]|分别|叫|，)+(?:一只叫|一个叫|大的叫|老大叫|分别叫|名叫|叫)?([\p{Han}A-Za-z]{1,4}?)(?:和|、|跟|与|，一只叫|一只叫|，一个叫|一个叫|，小的叫|小的叫|，老二叫)([\p{Han}A-Za-z]{1,4})(?:$|[，,。！!）)；;])`)
	reListTeamZh = gated(`(?:组|团队|部门|小组|项目|班子|合伙人|宿舍|寝室)[^，。：:]{0,10}[：:]((?:[\p{Han}A-Za-z]{1,12}[、，,和跟])+(?:外加|还有|加上)?[\p{Han}A-Za-z]{1,16})`)
	reListSepZh  = regexp.MustCompile(`[、，,和跟]`)
	reListRoleZh = regexp.MustCompile(`^(?:外加|还有|加上|再加)?(?:一个|个|一位|俩|两个)?(?:实习生|组长|领导|产品|设计|前端|后端|测试|运维|同事|新人|老板|经理)?`)
	reListRoleEn = regexp.MustCompile(`^(?:our|my|an|the) \p{Ll}+ `)

	// What somebody in the list does: 老孔管后端.
	reDoesZh = gated(`^(我|(?:小|阿|老)\p{Han}|\p{Han}{2,3}?|[A-Za-z]+)\s*(?:管|做|带|负责|写|搞|跑|盯|主攻|对接)\s*([\p{Han}A-Za-z]{1,10})$`)

	ruleListed = rule{name: "listed", pred: pKnows, conf: .75}
)

// listed adds the names that the sentence lists.
func (r *reader) listed(seg *schema.Segment, sent string) {
	var names []string
	var roles []fact
	f, said := fact{}, sent
	if langOf(sent) == "zh" {
		sent = closed(sent)
	}
	switch lang := langOf(sent); {
	case lang != "zh" && reListTeamEn.match(sent):
		f.pred, f.subject, f.kind = pMember, "we", schema.KindProject
		names = reAndEn.Split(strings.ReplaceAll(strings.ReplaceAll(reListTeamEn.find(sent)[1], "&", "and"), " plus ", " and "), -1)
		names = strings.Split(strings.Join(names, ", "), ", ")
	case lang != "zh" && reListPetsEn.match(sent):
		m := reListPetsEn.find(sent)
		f.pred, f.subject, f.qualifier = pKnows, "user", strings.TrimSuffix(strings.ToLower(m[1]), "s")
		if k, _, ok := kinEn(f.qualifier); ok && petKeys[k] || strings.HasSuffix(f.qualifier, "pig") {
			f.pred = pHas
		}
		names = strings.Split(strings.Join(reAndEn.Split(strings.ReplaceAll(m[2], "&", "and"), -1), ", "), ", ")
	case lang == "zh" && reListTeamZh.match(sent):
		f.pred, f.subject, f.kind = pMember, "we", schema.KindProject
		for _, n := range reListSepZh.Split(reListTeamZh.find(sent)[1], -1) {
			n = strings.TrimSpace(reListRoleZh.ReplaceAllString(n, ""))
			if m := reDoesZh.find(n); m != nil { // 老孔管后端: who he is, and what he does
				n = m[1]
				roles = append(roles, fact{pred: pRole, subject: n, object: m[2], kind: schema.KindProject})
			}
			names = append(names, n)
		}
	case lang == "zh" && reListPetsZh.match(sent):
		m := reListPetsZh.find(sent)
		f.pred, f.subject, f.qualifier = pKnows, "user", kinWords[m[1]].key
		if petKeys[f.qualifier] {
			f.pred = pHas
		}
		names = m[2:4]
	}
	if len(names) < 2 || strings.ContainsAny(sent, "?？") {
		return
	}
	c := newClause(tidy(said), sent, langOf(sent), r.env.At, false)
	c.sub, c.dated = subject{kind: subjSelf, text: r.sp.self}, true
	for _, n := range names {
		n = reListRoleEn.ReplaceAllString(strings.TrimSpace(n), "")
		switch strings.ToLower(n) {
		case "", "me", "myself", "我", "我自己", "本人":
			continue
		}
		g := f
		g.object, g.noSlot = n, true
		r.add(seg, c, g, &ruleListed, said)
	}
	for _, f := range roles {
		if f.subject != "我" {
			r.add(seg, c, f, &ruleListed, said)
		}
	}
}
