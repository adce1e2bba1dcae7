package distill

import (
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

var (
	reFavEn   = gated(`(?i)^(?:(?:all-time|absolute|current|new|personal) )*favou?rite (.+)$`)
	reBadAttr = gated(`(?i)^(?:question|point|guess|problem|issue|bad|pleasure|mistake|idea|concern|hope|understanding|opinion|fault|turn|apologies|thanks|code|text|draft|essay|prompt|request|goal here|answer|message|input|output|list|query|impression|suggestion|thought|fear|feeling|character|persona|protagonist|hero|heroine|villain|avatar|npc|plot)s?$`)
	reTransEn = gated(`(?i)^(?:not )?(?:working|broken|slow|down|up|fine|ok|okay|great|good|bad|failing|late|ready|here|there|gone|done|very|too|so|quite|really|getting|killing|going|coming|trying|asking|looking|running|making|a bit|a mess|ugly|nice|beautiful|amazing|terrible|awful|stuck|full|empty|that |this |to |how |what |why |if |whether |because|about|for |driving|acting|being|having|pretty|rather|on fire|back\b|frozen|working|the one|not )`)
)

// attrEn reads "my X is Y": X is the predicate, Y its value.
func attrEn(c *clause, m []string) (fact, bool) {
	attr := strings.ToLower(c.sub.name)
	if c.sub.kind == subjKin {
		if m[1] == "" {
			o := objectOf(c, m[2])
			if reTransEn.match(o) || o == "" || !specific(o) && !hasPrefixAny(strings.ToLower(o), "a ", "an ", "the ") {
				return fact{}, false
			}
			if t, ok := strings.CutPrefix(o, "in "); ok && capital(t) && len(c.whens()) == 0 {
				return fact{pred: pLivesIn, object: t, conf: .7, past: hasPrefixAny(c.vpLow, "was", "were")}, true
			}
			if i := strings.LastIndex(o, " in "); i > 0 && hasPrefixAny(o, "in a ", "in an ", "in the ") && capital(o[i+4:]) && len(c.whens()) == 0 { // in a care home in Whitby
				return fact{pred: pLivesIn, object: o[i+4:], conf: .7, past: hasPrefixAny(c.vpLow, "was", "were")}, true
			}
			return fact{pred: pTrait, object: o, past: hasPrefixAny(c.vpLow, "was", "were")}, true
		}
		attr = strings.ToLower(m[1])
	}
	o, _ := strings.CutSuffix(objectOf(c, m[2]), " instead")
	if o == "" || o == "me" || hasPrefixAny(strings.ToLower(o), "me,", "me and") || c.negated && !specific(o) || reBadAttr.match(attr) || reTransEn.match(o) || isPronounEn(strings.ToLower(firstWord(o))) && !strings.Contains(o, " ") {
		return fact{}, false
	}
	f := fact{object: o, qualifier: attr, subject: attrOwner(c), past: hasPrefixAny(c.vpLow, "was ", "were ")}
	if c.sub.kind == subjKin {
		f.subject = c.sub.text
	}
	switch {
	case attr == "name", attr == "full name", attr == "first name", attr == "last name", attr == "surname", attr == "nickname":
		f.pred = pName
		if attr == "name" {
			f.qualifier = ""
		}
	case attr == "birthday", attr == "date of birth", attr == "birth date", attr == "birthdate":
		f.pred, f.qualifier = pBirthday, ""
	case attr == "age":
		f.pred, f.qualifier = pAge, ""
	case attr == "job", attr == "job title", attr == "profession", attr == "occupation", attr == "role":
		f.pred, f.qualifier = pJob, ""
	case attr == "hometown":
		f.pred, f.qualifier = pHometown, ""
	case hasSuffixAny(attr, " deadline"):
		f.pred, f.expires = pDeadline, true
	case reFavEn.match(attr):
		f.pred, f.qualifier = pFavourite, reFavEn.find(attr)[1]
	case attrKey(attr) != attr:
		f.qualifier = attrKey(attr)
	case strings.HasSuffix(attr, " version"):
		f.pred = pVersion
	}
	if strings.HasPrefix(c.sub.text, "our ") && f.kind == "" {
		f.kind = schema.KindProject
	}
	if f.past && len(c.whens()) == 0 && f.pred.name == "" && c.sub.kind == subjMine {
		f.past = false // "my student days were in Tromsø" is about something over, not a value that ended
		f.noSlot = true
	}
	return f, true
}

// attrKey is one name for an attribute that has several, in both languages. A landline, an office phone and the like
// are others.
func attrKey(attr string) string {
	switch attr {
	case "phone number", "mobile number", "cell number", "cell phone number", "mobile phone number", "telephone number", "phone no", "mobile no", "手机号", "手机号码", "手机", "电话", "电话号码", "联系电话", "号码", "号":
		return "phone number"
	case "email", "email address", "e-mail", "e-mail address", "mail address", "邮箱", "邮箱地址", "邮件地址", "电子邮箱", "邮箱账号":
		return "email"
	case "address", "home address", "住址", "地址", "家庭住址", "家庭地址":
		return "address"
	case "wechat", "wechat id", "微信", "微信号":
		return "wechat"
	}
	return attr
}

// changedEn reads "changed my phone number, the new one is 555": the value of an attribute of the speaker's.
func changedEn(c *clause, m []string) (fact, bool) {
	attr, o := strings.ToLower(m[1]), objectOf(c, m[2])
	if o == "" || reBadAttr.match(attr) || isPronounEn(strings.ToLower(firstWord(o))) {
		return fact{}, false
	}
	f := fact{pred: pAttr, object: o, qualifier: attrKey(attr)}
	if c.sub.kind == subjGroup {
		f.kind = schema.KindProject
	}
	return f, true
}

func attrOwner(c *clause) string {
	if strings.HasPrefix(c.sub.text, "our ") {
		return "we"
	}
	return strings.TrimSuffix(c.sub.text[:max(0, len(c.sub.text)-len(c.sub.name)-1)], "'s")
}

var attrNounEn = gated(`(?i)\b(?:port|version|code|address|host(?:name)?|url|branch|path|directory|folder|region|owner|maintainer|lead|manager|database|password policy|name|number|email|phone|extension|ip|domain|cluster|bucket|queue|topic|timezone|time zone|limit|budget|price|cost|rent|salary|fee|deposit|size|capacity|language|framework|licen[cs]e|deadline|default|id|code|code name|codename|nickname|capital|colou?r|schedule|status page|repo|repository|endpoint|mascot|motto|slogan|model|temperature|threshold|timeout|retention|interval|wifi|wi-fi|ssid|room|address|opening hours|hours)$`)

// ownersEn are whose something is, which does not tell of what.
var ownersEn = wordSet("his her their its your whose")

// attrOfEn reads "the staging port is 8081", "the port of the staging server is 8081", "Atlas's owner is Mira".
func attrOfEn(c *clause, m []string) (fact, bool) {
	subj, attr := c.sub.text, strings.ToLower(m[1])
	o := objectOf(c, m[2])
	if o == "" || reTransEn.match(o) || strings.EqualFold(o, "true") {
		return fact{}, false
	}
	if attr == "" {
		if i := strings.Index(strings.ToLower(subj), " of "); i > 0 {
			attr, subj = strings.ToLower(trimArticle(subj[:i])), trimArticle(subj[i+4:])
		} else if i := strings.Index(strings.ToLower(subj), " for "); i > 0 {
			attr, subj = strings.ToLower(trimArticle(subj[:i])), trimArticle(subj[i+5:])
		} else if ix := attrNounEn.findIndex(subj); ix != nil {
			attr, subj = strings.ToLower(subj[ix[0]:]), strings.TrimSpace(subj[:ix[0]])
		}
	}
	if c.negated || !attrNounEn.match(attr) || ownersEn[strings.ToLower(subj)] {
		return fact{}, false
	}
	f := fact{subject: core(subj), qualifier: attr, object: o, kind: schema.KindProject}
	switch attr {
	case "port":
		f.pred, f.qualifier = pPort, ""
	case "version":
		f.pred, f.qualifier = pVersion, ""
	case "owner", "maintainer":
		f.pred, f.qualifier = pOwner, ""
	case "path", "directory", "folder":
		f.pred, f.qualifier = pPath, ""
	case "deadline":
		f.pred, f.qualifier, f.expires = pDeadline, "", true
	}
	return f, true
}
