package distill

import "strings"

// Words for people and animals that only add to [kinWords]: each line a role, and words for it.
const kinMore = `
manager: team lead, tech lead, teamlead, team leader, director, head of department, department head, group leader, pi, 总监, 部长, 主任, 处长, 科长, 队长, 团队负责人, 顶头上司, 直属上司, 直属主管
best friend: best mate, bestie, 最好的朋友, 死党, 铁哥们
friend: mate, buddy, pal, 哥们, 哥们儿, 朋友们, 老友
colleague: workmate, co worker, deputy, 搭档, 队友
cofounder: 合伙人, 联合创始人
mentor: advisor, adviser, 博导, 硕导, 师傅
intern: intern, trainee, apprentice, 实习生, 徒弟
stepfather: stepdad, stepfather, 继父, 后爸
stepmother: stepmum, stepmom, stepmother, 继母, 后妈
in-laws: in-laws, inlaws, 公婆, 岳父母
ex: ex, ex-wife, ex-husband, ex-girlfriend, ex-boyfriend, 前任, 前妻, 前夫, 前女友, 前男友
brother: twin brother, half-brother, half brother, middle brother, stepbrother, baby brother, kid brother, 兄弟
sister: twin sister, half-sister, half sister, middle sister, stepsister, baby sister, kid sister, 姊妹
older sister: elder sister, eldest sister, big sister, oldest sister, 大姐, 二姐
older brother: elder brother, eldest brother, big brother, oldest brother, 大哥, 二哥
younger brother: little brother, youngest brother, 小弟
younger sister: little sister, youngest sister, 小妹
daughter: oldest daughter, eldest daughter, youngest daughter, elder daughter, younger daughter, little girl, 大女儿, 小女儿, 二女儿, 丫头
son: oldest son, eldest son, youngest son, elder son, younger son, little boy, 大儿子, 小儿子, 二儿子
kid: kid, child, toddler, little one, eldest, oldest, youngest, firstborn, 崽, 小朋友
grandchild: grandchild, grandkid, 孙子, 孙女, 外孙, 外孙女
kids: grandkids, 俩娃, 两个娃, 双胞胎娃
godchild: godson, goddaughter, 干儿子, 干女儿
uncle: great-uncle, 姑丈, 姨父, 小叔, 大舅, 二舅, 三叔
aunt: great-aunt, auntie, 舅妈, 婶婶, 伯母, 大姨, 二姨
grandmother: nana, gran
cousin: 表兄, 堂兄
nanny: nanny, babysitter, childminder, au pair, 保姆, 育儿嫂
cleaner: cleaner, cleaning lady, 钟点工, 家政阿姨
therapist: psychologist, psychiatrist, counsellor, counselor, 咨询师, 心理医生
doctor: cardiologist, dermatologist, neurologist, oncologist, paediatrician, pediatrician, gynaecologist, gynecologist, urologist, ophthalmologist, optician, surgeon, orthodontist, midwife, endocrinologist, 大夫, 家庭医生
physio: physio, physiotherapist, chiropractor, osteopath, 理疗师
trainer: trainer, personal trainer, 私教
tutor: tutor, piano teacher, violin teacher, driving instructor, swimming teacher, 家教, 钢琴老师
hairdresser: hairdresser, barber, stylist, 理发师
vet: vet, 兽医
wife: missus, better half, 内人, 孩子他妈, 孩子妈
husband: hubby, 孩子他爸, 孩子爸
dog: labrador, terrier, poodle, beagle, corgi, dachshund, collie, border collie, spaniel, cocker spaniel, retriever, golden retriever, husky, greyhound, bulldog, french bulldog, pug, shepherd, german shepherd, mutt, pup, whippet, chihuahua, schnauzer, 金毛, 柯基, 泰迪, 哈士奇, 边牧, 柴犬, 拉布拉多, 狗儿子, 比熊, 萨摩耶, 老狗, 土狗
cat: tabby, tortoiseshell, siamese, ragdoll, maine coon, tomcat, moggy, 橘猫, 布偶, 英短, 美短, 蓝猫, 三花, 狸花, 猫儿子, 老猫
rabbit: bunny, 兔兔
hamster: guinea pig, gerbil, 豚鼠
parrot: budgie, cockatiel, canary, cockatoo, 玄凤, 虎皮鹦鹉
horse: pony, mare, gelding
`

// withMore is words with those of kinMore, of which there may be several at a time where words does not tell.
func withMore(words map[string]kinWord) map[string]kinWord {
	one := map[string]bool{}
	for _, k := range words {
		one[k.key] = k.one
	}
	for line := range strings.Lines(kinMore) {
		key, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for w := range strings.SplitSeq(list, ", ") {
			if _, ok := words[w]; !ok && w != "" {
				words[w] = kinWord{key, one[key]}
			}
		}
	}
	return words
}
