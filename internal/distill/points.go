package distill

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// What points at something that was said before: "that week", "this definition", "do it again", 那个定义, 这样.
var (
	reThatEn = gated(`(?i)\b(?:in|on|at|by|for|with|from|to|of|about|during|under|after|before|until|through|without|against|use|using|do|follow|following|apply|keep|call|send|share|change|read|run|post|try|open|touch|delete|push|deploy|merge|edit|schedule|book|include|give|contact|visit|eat|buy|order|accept|repeat|take|treat|put)\s+(this|that|these|those|such)(?:\s+(?:same|very|exact|whole))?\s+([\p{L}-]+)`)
	reItEn   = gated(`(?i)\b(?:do|doing|did|say|saying|use|using|try|trying|repeat|repeating|mention|make|change|send|call|write) (?:it|this|that|these|those|them)(?: ever)?(?: (?:again|any ?more|from now on|going forward|in (?:the )?future|like this|like that))*[.!]*$|\b(?:this|that) way\b|\blike (?:this|that)[.!]*$`)
	reThatZh = gated(`[这那](?:个|些|种|样|条|份|次|回|件|句|篇|张|封|项|位|类|几|两|段|周|天|时|期间)([\p{Han}A-Za-z]{0,3})|届时|到时候|^期间`)
	timesEn  = wordSet("week weeks day days month months period time weekend weekends year fortnight hours dates morning afternoon evening night stretch")
	reTimeZh = gated(`[这那]个?(?:几|两|段)?(?:周|星期|礼拜|月|天|时候|时间|时|期间|日子|周末)|届时|到时候|^期间`)
)

// hereEn and hereZh are things that are at hand wherever the rule holds, and need no word before: "in this project".
var hereEn, hereZh = wordSet("project repo repository codebase app application service product team company organisation organization office house flat apartment home family country city town conversation chat channel thread group workspace device machine computer server cluster account " +
	"year month week weekend quarter summer winter spring autumn fall monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december days"),
	strings.Fields("项目 仓库 群 系统 公司 团队 家 办公室 服务 产品 应用 账号 频道 对话 会话 月 周末 周 星期 季度 学期")

// pointsBack reports whether c speaks of something by pointing at it, and whether that is a time.
func (c *clause) pointsBack() (points, time bool) {
	if c.lang == "zh" {
		m := reThatZh.find(c.text)
		if m == nil || strings.HasPrefix(m[0], "这") && hasPrefixAny(m[1], hereZh...) || hasPrefixAny(c.text, "如果", "每当", "当") {
			return false, false
		}
		return true, reTimeZh.match(c.text)
	}
	if hasPrefixAny(c.low, "if ", "when ", "whenever ", "unless ", "every time ", "each time ") { // it may point at what the condition names
		return false, false
	}
	if m := reThatEn.find(c.text); m != nil {
		det, noun := strings.ToLower(m[1]), strings.ToLower(m[2])
		switch {
		case (det == "this" || det == "these") && hereEn[noun]:
		case det == "such" && noun == "as", isPronounEn(noun), finiteEn[noun]: // "from that I …"
		default:
			return true, timesEn[noun]
		}
	}
	return reItEn.match(c.text), false
}

// finiteEn follow a "that" which points at nothing.
var finiteEn = wordSet("is are was were has have had can will would may might must should do does did the a an my your our their his her i you we he she they it there")

// pointable is whether s says something that a word after it can point at.
func pointable(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[max(0, len(s)-4):], "?？") {
		return false
	}
	if langOf(s) == "zh" {
		return utf8.RuneCountInString(s) >= 5 && !reAskZh.match(s)
	}
	return len(strings.Fields(s)) >= 3 && !reWhEn.match(s)
}

// anchor makes a rule that points at what was said before it stand on its own, by taking that along: what its own
// sentence says before it, else the sentence before. It reports false where there is none: then it is no rule for good.
// A rule for "that week" ends with the week.
func (r *reader) anchor(c *clause, f *fact, sent string) bool {
	if cmp.Or(f.typ, f.pred.typ) != schema.TypeConstraint {
		return true
	}
	points, isTime := c.pointsBack()
	if !points {
		return true
	}
	whole := tidy(sent)
	lead := ""
	if head := []rune(c.content); len(head) > 0 {
		lead = whole[:max(0, strings.Index(whole, string(head[:min(len(head), 8)])))]
	}
	content := whole
	if !pointable(lead) {
		if lead = tidy(r.before); !pointable(lead) {
			return false
		}
		if content = lead + whole; c.lang != "zh" {
			content = lead + " " + whole
		}
	}
	if utf8.RuneCountInString(content) > maxContent {
		return false
	}
	if isTime {
		if f.until = c.over(lead); !f.until.After(c.at) {
			return false
		}
	}
	c.content = content
	return true
}

var (
	reFromEn  = gated(`(?i)\d(?:st|nd|rd|th)? ?(?:to|until|till|through|–|-) ?(?:the )?$`)
	reUntilZh = gated(`^ ?[到至~～—–-]+ ?(\d{1,2}) ?[日号]`)
)

// over is when the time is over that lead names and c points at, zero where it names none: a week, a month or a
// weekend from the day that is named, or the last of the days.
func (c *clause) over(lead string) time.Time {
	var until time.Time
	for _, w := range findWhens(lead, clock{at: c.at}) {
		end := w.to
		if m := reUntilZh.find(lead[w.end:]); m != nil { // 8月3日到9日
			if d, err := strconv.Atoi(m[1]); err == nil && d > w.from.Day() {
				end = w.to.AddDate(0, 0, d-w.from.Day())
			}
		}
		switch {
		case reFromEn.match(lead[:w.start]): // "3 to 9 August" is read as its end
		case containsAny(c.low, "week", "周", "星期", "礼拜") && !containsAny(c.low, "weekend", "周末"):
			end = latest(end, w.from.AddDate(0, 0, 7))
		case containsAny(c.low, "month", "那个月", "那月"):
			end = latest(end, w.from.AddDate(0, 1, 0))
		}
		until = latest(until, end)
	}
	return until
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
