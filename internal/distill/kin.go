package distill

import (
	"strings"
	"unicode"

	"github.com/siltstone-ai/siltstone/internal/text"
)

// kinWord is a word for somebody (or an animal) of the speaker's.
type kinWord struct {
	key string // canonical role, the same in both languages
	one bool   // there is one at a time: "my manager is B" supersedes "my manager is A"
}

var kinWords = withMore(map[string]kinWord{
	"mother": {"mother", true}, "妈": {"mother", true}, "爸": {"father", true}, "哥": {"older brother", false}, "姐": {"older sister", false}, "弟": {"younger brother", false}, "妹": {"younger sister", false},
	"姐夫": {"brother-in-law", false}, "妹夫": {"brother-in-law", false}, "嫂子": {"sister-in-law", false}, "brother-in-law": {"brother-in-law", false}, "sister-in-law": {"sister-in-law", false}, "stepson": {"stepson", false}, "stepdaughter": {"stepdaughter", false}, "grandson": {"grandson", false}, "granddaughter": {"granddaughter", false}, "housemate": {"roommate", false},
	"mom": {"mother", true}, "mum": {"mother", true}, "mummy": {"mother", true}, "mommy": {"mother", true}, "daddy": {"father", true}, "granny": {"grandmother", false}, "nan": {"grandmother", false}, "grandad": {"grandfather", false}, "cofounder": {"cofounder", false}, "co-founder": {"cofounder", false}, "business partner": {"business partner", true}, "妈妈": {"mother", true}, "母亲": {"mother", true}, "老妈": {"mother", true},
	"father": {"father", true}, "dad": {"father", true}, "爸爸": {"father", true}, "父亲": {"father", true}, "老爸": {"father", true},
	"parents": {"parents", true}, "父母": {"parents", true}, "爸妈": {"parents", true},
	"wife": {"wife", true}, "妻子": {"wife", true}, "老婆": {"wife", true}, "太太": {"wife", true}, "爱人": {"spouse", true},
	"husband": {"husband", true}, "丈夫": {"husband", true}, "老公": {"husband", true}, "先生": {"husband", true},
	"partner": {"partner", true}, "fiancée": {"fiancee", true}, "fiancé": {"fiance", true}, "spouse": {"spouse", true}, "伴侣": {"partner", true},
	"girlfriend": {"girlfriend", true}, "女朋友": {"girlfriend", true}, "女友": {"girlfriend", true},
	"boyfriend": {"boyfriend", true}, "男朋友": {"boyfriend", true}, "男友": {"boyfriend", true},
	"sister": {"sister", false}, "younger sister": {"younger sister", false}, "older sister": {"older sister", false}, "妹妹": {"younger sister", false}, "姐姐": {"older sister", false}, "表妹": {"younger cousin", false}, "表姐": {"older cousin", false},
	"brother": {"brother", false}, "younger brother": {"younger brother", false}, "older brother": {"older brother", false}, "弟弟": {"younger brother", false}, "哥哥": {"older brother", false}, "表弟": {"younger cousin", false}, "表哥": {"older cousin", false}, "堂弟": {"younger cousin", false}, "堂哥": {"older cousin", false},
	"son": {"son", false}, "儿子": {"son", false}, "daughter": {"daughter", false}, "女儿": {"daughter", false}, "kids": {"kids", true}, "children": {"kids", true}, "孩子": {"kids", true}, "twins": {"twins", true}, "双胞胎": {"twins", true}, "baby": {"baby", true}, "宝宝": {"baby", true},
	"grandmother": {"grandmother", false}, "grandma": {"grandmother", false}, "奶奶": {"paternal grandmother", true}, "外婆": {"maternal grandmother", true}, "姥姥": {"maternal grandmother", true},
	"grandfather": {"grandfather", false}, "grandpa": {"grandfather", false}, "爷爷": {"paternal grandfather", true}, "外公": {"maternal grandfather", true}, "姥爷": {"maternal grandfather", true},
	"uncle": {"uncle", false}, "aunt": {"aunt", false}, "叔叔": {"uncle", false}, "舅舅": {"uncle", false}, "阿姨": {"aunt", false}, "姑姑": {"aunt", false}, "姨妈": {"aunt", false},
	"cousin": {"cousin", false}, "niece": {"niece", false}, "nephew": {"nephew", false}, "侄子": {"nephew", false}, "侄女": {"niece", false}, "外甥": {"nephew", false}, "外甥女": {"niece", false},
	"mother-in-law": {"mother-in-law", true}, "father-in-law": {"father-in-law", true}, "岳母": {"mother-in-law", true}, "岳父": {"father-in-law", true}, "婆婆": {"mother-in-law", true}, "公公": {"father-in-law", true},
	"friend": {"friend", false}, "best friend": {"best friend", true}, "朋友": {"friend", false}, "闺蜜": {"best friend", true}, "好友": {"friend", false},
	"roommate": {"roommate", false}, "flatmate": {"roommate", false}, "室友": {"roommate", false}, "neighbour": {"neighbour", false}, "neighbor": {"neighbour", false}, "邻居": {"neighbour", false},
	"manager": {"manager", true}, "boss": {"manager", true}, "supervisor": {"manager", true}, "line manager": {"manager", true}, "经理": {"manager", true}, "老板": {"manager", true}, "领导": {"manager", true}, "上司": {"manager", true}, "主管": {"manager", true}, "直属领导": {"manager", true},
	"colleague": {"colleague", false}, "coworker": {"colleague", false}, "co-worker": {"colleague", false}, "同事": {"colleague", false}, "teammate": {"colleague", false}, "mentor": {"mentor", true}, "导师": {"mentor", true}, "assistant": {"assistant", true}, "助理": {"assistant", true},
	"teacher": {"teacher", false}, "老师": {"teacher", false}, "doctor": {"doctor", true}, "gp": {"doctor", true}, "dentist": {"dentist", true}, "医生": {"doctor", true}, "牙医": {"dentist", true}, "therapist": {"therapist", true}, "lawyer": {"lawyer", true}, "律师": {"lawyer", true}, "accountant": {"accountant", true}, "landlord": {"landlord", true}, "房东": {"landlord", true}, "tenant": {"tenant", false}, "client": {"client", false}, "客户": {"client", false}, "coach": {"coach", true}, "教练": {"coach", true},
	"dog": {"dog", false}, "cat": {"cat", false}, "puppy": {"dog", false}, "kitten": {"cat", false}, "parrot": {"parrot", false}, "rabbit": {"rabbit", false}, "hamster": {"hamster", false}, "tortoise": {"tortoise", false}, "turtle": {"turtle", false}, "horse": {"horse", false}, "goldfish": {"goldfish", false}, "pet": {"pet", false},
	"娃": {"kids", true}, "娃娃": {"kids", true}, "小孩": {"kids", true}, "闺女": {"daughter", false}, "媳妇": {"wife", true}, "老伴": {"spouse", true}, "对象": {"partner", true}, "未婚妻": {"fiancee", true}, "未婚夫": {"fiance", true}, "直属上级": {"manager", true}, "上级": {"manager", true}, "组长": {"manager", true}, "师父": {"mentor", true},
	"姑妈": {"aunt", false}, "小姨": {"aunt", false}, "姑父": {"uncle", false}, "姨夫": {"uncle", false}, "伯父": {"uncle", false}, "大伯": {"uncle", false}, "堂妹": {"younger cousin", false}, "堂姐": {"older cousin", false}, "嫂嫂": {"sister-in-law", false}, "同桌": {"classmate", false}, "同学": {"classmate", false}, "发小": {"friend", false}, "主治医生": {"doctor", true},
	"狗子": {"dog", false}, "猫主子": {"cat", false}, "小猫咪": {"cat", false},
	"狗": {"dog", false}, "猫": {"cat", false}, "小狗": {"dog", false}, "小猫": {"cat", false}, "鹦鹉": {"parrot", false}, "兔子": {"rabbit", false}, "仓鼠": {"hamster", false}, "乌龟": {"turtle", false}, "宠物": {"pet", false}, "狗狗": {"dog", false}, "猫咪": {"cat", false},
})

// petKeys are the roles that are had rather than related.
var petKeys = map[string]bool{"dog": true, "cat": true, "parrot": true, "rabbit": true, "hamster": true, "tortoise": true, "turtle": true, "horse": true, "goldfish": true, "pet": true}

// kinEn reads "younger brother John", "cat Miso", "new manager" as a role and a name.
func kinEn(noun string) (role, name string, ok bool) {
	words := strings.Fields(strings.Replace(strings.Replace(noun, " in law", "-in-law", 1), " in-law", "-in-law", 1))
	n := len(words)
	for n > 0 { // a name follows the role
		r := []rune(words[n-1])
		if !unicode.IsUpper(r[0]) || n == 1 || len(r) > 1 && unicode.IsUpper(r[1]) && n == 1 {
			break
		}
		n--
	}
	if n == 0 {
		return "", "", false
	}
	name = strings.Join(words[n:], " ")
	head := words[:n]
	for len(head) > 1 && isRoleAdjective(head[0]) {
		head = head[1:]
	}
	role = strings.ToLower(strings.Join(head, " "))
	k, ok := kinWords[role]
	if !ok && len(head) == 2 && (head[0] == "little" || head[0] == "big") {
		k, ok = kinWords[strings.ToLower(head[1])]
	}
	return k.key, name, ok
}

func isRoleAdjective(w string) bool {
	switch strings.ToLower(w) {
	case "new", "current", "old", "dear", "lovely", "only", "own", "beloved", "direct", "late", "two", "three", "pet":
		return true
	}
	return false
}

// kinOne reports whether there is one of a role at a time.
func kinOne(key string) bool {
	for _, k := range kinWords { // any word of that key: they agree (see the test)
		if k.key == key {
			return k.one
		}
	}
	return false
}

// Subject is the name that memories give to a subject written by hand: "user's mom", "my mother" and 我妈妈 are "user's
// mother". What is nobody of the speaker's stays as it is.
func Subject(s string) string {
	if m := reKinHeadZh.find(s); m != nil && len(m[0]) == len(s) {
		return "user's " + kinWords[m[1]].key
	}
	for _, owner := range [...]string{"user's ", "my "} {
		if rest, ok := strings.CutPrefix(s, owner); ok {
			if role, _, ok := kinEn(rest); ok {
				return "user's " + role
			}
			return "user's " + rest
		}
	}
	return s
}

// IsPerson reports whether the subject of a memory is somebody, or an animal, of the speaker's.
func IsPerson(subject string) bool {
	role, ok := strings.CutPrefix(subject, "user's ")
	if !ok {
		return false
	}
	for _, k := range kinWords {
		if k.key == role {
			return true
		}
	}
	return false
}

// doubtZh are verbs to the dictionary that say how sure what follows is.
var doubtZh = wordSet("可能 应该 必须 需要 也许 肯定 估计 似乎 好像 仍然 依然 仍旧 依旧")

// adverbialZh reports whether s begins with a word that says when, where or how, or stands for a name: what follows 我的经理
// in 我的经理现在是李雷 is none.
func adverbialZh(s string) bool {
	if doubtZh[s] {
		return true
	}
	w := text.Segment(s)
	return len(w) > 0 && w[0].Tag != "" && strings.ContainsAny(w[0].Tag[:1], "tdfcrpu")
}
