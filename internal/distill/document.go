package distill

import (
	"strings"
	"unicode/utf8"
)

// What a text must at least be, and its sentences be long on the average, to be taken for a document: in Chinese
// characters, or in words. People write of their own affairs more shortly than encyclopaedias and newspapers do.
const (
	minDocumentZh, meanDocumentZh = 150, 30
	minDocumentEn, meanDocumentEn = 80, 16
	minDocument                   = 3 // sentences
)

var (
	// Who talks to somebody says I, we or you somewhere, or asks for something.
	rePresentZh = gated(`[我咱俺您你妳]|本人|大家|请|記得|记得|记住|別忘|别忘`)
	rePresentEn = gated(`(?i)\b(?:I|me|my|mine|myself|we|us|our|ours|you|your|yours|please|remember|let's|everyone|everybody|the team)\b`)

	// What names hosts, ports, versions, paths and addresses is about something that is worked on.
	reTechnical = gated("(?i)`|://|@\\w|\\b\\w[\\w-]*\\.\\w[\\w-]*\\.\\w+\\b|:\\d{2,5}\\b|\\bv?\\d+\\.\\d+\\.\\d+\\b|(?:^|[\\s\\p{Han}])[~.]?/\\w+/|\\b(?:port|deploys?|deployments?|staging|database|server|branch|repo|repository|API)\\b|端口|部署|数据库|服务器|接口|分支|仓库|上线|测试环境|生产环境")
)

// document reports whether s is a text that was pasted in to be read, such as an article: some sentences, long ones, of
// which none speaks of the speaker or to the assistant, and nothing technical. Whoever it tells of, who goes without a
// subject in it is not the speaker, and what must be done there is no rule for anybody here.
func document(s string, sents []string) bool {
	if len(sents) < minDocument || rePresentZh.match(s) || reTechnical.match(s) {
		return false
	}
	if langOf(s) == "zh" {
		n := utf8.RuneCountInString(s)
		return n >= minDocumentZh && n >= meanDocumentZh*len(sents)
	}
	n := len(strings.Fields(s))
	return n >= minDocumentEn && n >= meanDocumentEn*len(sents) && !rePresentEn.match(s)
}
