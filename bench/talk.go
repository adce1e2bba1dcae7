package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Material of everyday talk: unlike that of the turns about services, its words are as unevenly spread as those of real
// talk, so that some terms of a question are in one turn of three and others in one of a thousand.
var (
	enWho = strings.Fields(`I We Anna Marek Yusuf Ingrid Pablo Mei Tom Farah Oskar Lucia Dmitri Nora Kenji Ruth Amir Greta Felix Hana Bruno Selma Viktor Wanda`)
	enDid = []string{
		"bought", "sold", "repaired", "lost", "found", "painted", "booked", "cancelled", "borrowed", "measured", "photographed", "cleaned",
		"ordered", "returned", "moved", "described", "finished", "postponed", "forgot", "replaced", "packed", "planned", "watered", "weighed",
	}
	enThing = []string{
		"the garden fence", "a second-hand bicycle", "the kitchen table", "tickets for the concert", "the blue suitcase", "the insurance papers", "a birthday cake",
		"the broken heater", "the wedding photos", "a ferry to the islands", "the old piano", "a present for the twins", "the tent", "her violin case", "the tax return",
		"two bags of soil", "the spare keys", "a recipe for lentil soup", "the guest room", "the translation of the contract", "the dog's vaccination card", "a new router",
		"the bookshelf", "the quarterly budget", "a pair of hiking boots", "the choir rehearsal", "the apple tree", "the visa application", "the coffee grinder", "a chess set",
	}
	enWhere = []string{
		"in Lisbon", "at the station", "near the harbour", "in the cellar", "at the market", "in Krakow", "behind the school", "at her parents' place", "in the office",
		"by the lake", "on the third floor", "in Osaka", "at the clinic", "in the old town", "at the airport", "in the attic", "next to the bakery", "in Toronto",
	}
	enWhen  = []string{"yesterday", "last week", "on Monday", "in March", "before breakfast", "two days ago", "after the storm", "on Friday evening", "this morning", "at the end of May", "during the holidays", "on the 14th"}
	enReply = []string{"That sounds good, I will keep it in mind.", "Shall I add it to the list?", "Thanks, noted.", "I can look up the price if you like.", "How did it go in the end?", "It took longer than we thought, about %d minutes."}

	zhWho   = strings.Fields(`我 我们 小林 老周 阿梅 陈工 表姐 王医生 邻居 同事 李老师 大伟 婷婷 爷爷 房东 教练 小赵 雅文`)
	zhDid   = strings.Fields(`买了 卖掉了 修好了 弄丢了 找到了 预订了 取消了 借走了 量过 拍了 打扫了 退回了 搬走了 写完了 推迟了 忘记了 换掉了 收拾了 浇过 称过`)
	zhThing = strings.Fields(`院子的篱笆 二手自行车 餐桌 音乐会门票 蓝色行李箱 保险单 生日蛋糕 暖气片 结婚照 去岛上的船票 旧钢琴 给双胞胎的礼物 帐篷 小提琴盒 报税表 两袋营养土 备用钥匙 红烧肉的菜谱 客房 合同译文 疫苗本 路由器 书架 季度预算 登山鞋 合唱排练 苹果树 签证材料 咖啡磨 象棋`)
	zhWhere = strings.Fields(`在杭州 在车站 在码头附近 在地下室 在菜市场 在成都 在学校后面 在爸妈家 在办公室 在湖边 在三楼 在大阪 在诊所 在老城区 在机场 在阁楼 在面包店旁边 在青岛`)
	zhWhen  = strings.Fields(`昨天 上周 周一 三月份 早饭前 前天 台风过后 周五晚上 今天早上 五月底 放假的时候 十四号`)
	zhReply = []string{"好的，我记下了。", "要不要加到清单里？", "谢谢，知道了。", "需要的话我可以查一下价格。", "后来怎么样了？", "比想象的久，大概用了%d分钟。"}

	enStates = []string{"I live in %s.", "My favourite tea is %s.", "Remember: never order from %s.", "I am allergic to %s."}
	zhStates = []string{"我住在%s。", "我喜欢喝%s。", "记住：不要再从%s订东西。", "我对%s过敏。"}
	enNames  = strings.Fields(`Porto Assam Bluestone walnuts Ghent sencha Northgate pollen Riga rooibos`)
	zhNames  = strings.Fields(`苏州 龙井 蓝石 核桃 青岛 乌龙茶 北门 花粉 厦门 普洱`)
)

// talk makes short turns of one user, half of them Chinese.
// Deterministic by seed.
type talk struct {
	r     *rand.Rand
	user  string
	start time.Time
	n     int
}

func newTalk(seed uint64, user string) *talk {
	return &talk{r: rand.New(rand.NewPCG(seed, 29)), user: user, start: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}
}

// often draws the front of a list more often than its end.
func often[T any](r *rand.Rand, s []T) T { return s[int(float64(len(s))*r.Float64()*r.Float64())] }

func (t *talk) sentence(zh bool) string {
	r := t.r
	if zh {
		return fmt.Sprintf("%s%s%s%s%s，编号%d。", often(r, zhWho), pick(r, zhWhen), often(r, zhWhere), often(r, zhDid), often(r, zhThing), r.IntN(3000))
	}
	return fmt.Sprintf("%s %s %s %s %s, ticket %d. ", often(r, enWho), often(r, enDid), often(r, enThing), often(r, enWhere), pick(r, enWhen), r.IntN(3000))
}

func (t *talk) next() schema.Turn {
	t.n++
	zh := t.n%2 == 0
	in := t.sentence(zh)
	for range t.r.IntN(3) {
		in += t.sentence(zh)
	}
	reply, states, names := pick(t.r, enReply), enStates, enNames
	if zh {
		reply, states, names = pick(t.r, zhReply), zhStates, zhNames
	}
	if strings.Contains(reply, "%d") {
		reply = fmt.Sprintf(reply, 5+t.r.IntN(90))
	}
	if t.r.IntN(20) == 0 {
		in += fmt.Sprintf(pick(t.r, states), pick(t.r, names))
	}
	if t.n%3 > 0 { // most turns are asked for nothing but to be remembered
		reply = ""
	}
	return schema.Turn{
		ID: fmt.Sprintf("%s-%d", t.user, t.n), User: t.user, Agent: "bench", Conversation: fmt.Sprintf("c-%d", t.n/20),
		At: t.start.Add(time.Duration(t.n) * 5 * time.Minute), Input: strings.TrimSpace(in), Response: reply,
	}
}

// question asks for something that was talked about, by some of its words.
func (t *talk) question(zh bool) string {
	r := t.r
	if zh {
		return fmt.Sprintf("%s%s%s的%s是什么时候的事？", often(r, zhWho), often(r, zhWhere), strings.TrimSuffix(often(r, zhDid), "了"), often(r, zhThing))
	}
	return fmt.Sprintf("When was it that %s %s %s %s?", often(r, enWho), often(r, enDid), often(r, enThing), often(r, enWhere))
}
