package distill

import (
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// An article states nothing of who pasted it, whatever its sentences would say to somebody: those without a subject go on
// about what came before.
func TestDocumentsStateNothingOfTheSpeaker(t *testing.T) {
	articles := []string{
		"弗莱特是十九世纪的比利时传教士和语言学家，长期在中国北方的乡村传教，并且收集了当地大量的民间故事和谚语。1929年在鲁汶大学取得东方语言博士学位，此后一直住在北平的辅仁大学，专心研究甘肃一带的方言。晚年对海鲜过敏，不再外出旅行，但始终坚持每天早上写作三个小时，直到去世为止。规定学生非经许可不得带走任何手稿，这条规矩在图书馆里一直保留到今天。",
		"Marta Velden was a Flemish lexicographer who spent most of her working life in the archives of Ghent, where the dialects of the coast were first written down. " +
			"Worked at the university from 1931 until the war broke out and the library was closed by order of the occupying forces. " +
			"Was allergic to the dust of old paper, which is why later portraits of her always show a pair of white cotton gloves on the table. " +
			"Her rule that no manuscript must ever leave the reading room is still printed on the door of the archive for all visitors to read.",
	}
	for _, s := range articles {
		if !document(s, sentences(s)) {
			t.Errorf("no document: %.40s", s)
		}
		if got := readText(t, schema.SegInput, s).Facts; len(got) != 0 {
			t.Errorf("%.40s states %d facts, the first %q by %s", s, len(got), got[0].Content, got[0].Rule)
		}
	}
}

func TestWhatPeopleTellAtLengthIsNoDocument(t *testing.T) {
	for name, s := range map[string]string{
		"zh of the speaker": "先说一下背景，去年夏天从杭州搬到了成都高新区，租的房子离公司走路只要十五分钟，周围吃饭也比较方便。公司做的是面向医院的排班软件，团队一共九个人，大部分都是从上一家创业公司一起过来的老同事。我负责后端和数据这一块，平时主要写代码，偶尔也要去医院现场做培训和收集需求，所以出差比较多。",
		"zh of a project":   "排班系统的生产库跑在旧机房的三号机上，端口是5433，每天凌晨两点做一次全量备份，备份文件保留三十天之后自动清理。发布之前必须跑完全部回归测试，并且由值班的人在群里确认之后才能继续往下走，周五下午一律不发布。日志统一写到对象存储里，保留九十天，超过九十天的由脚本自动归档到冷存储，需要的时候再提工单恢复。",
		"en of a project": "The scheduling service keeps its rosters in a database on the third machine of the old data centre, which is backed up every night at two and cleaned up by a script of its own. " +
			"Releases have to pass the whole regression suite before anybody on call confirms them in the channel, and none of them may go out on a Friday afternoon whatever the reason for the hurry is. " +
			"Logs are written to object storage for ninety days and archived after that, and whoever needs older ones opens a ticket with the people who run the archive in the other building.",
		"short": "Vienna has two airports. Trams run all night. Bakeries open at six.",
	} {
		if document(s, sentences(s)) {
			t.Errorf("%s is taken for a document", name)
		}
	}
}

func TestDocuments_SizeCounts(t *testing.T) {
	s := strings.Repeat("河流从北面的山里流出来，经过三座古老的石桥之后在城外的平原上汇入另一条更大的河流。", 4)
	if !document(s, sentences(s)) {
		t.Error("four long sentences are no document")
	}
	if cut := s[:len(s)/2]; document(cut, sentences(cut)) {
		t.Error("two sentences are a document")
	}
}
