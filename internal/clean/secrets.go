package clean

import (
	"strings"
)

// mask is what stands for a secret in computed text.
func mask(kind string) string { return "[secret:" + kind + "]" }

// maskSecrets replaces credentials by their mask. It goes over s once: a table of the first two bytes of every
// rule's key decides where a rule is tried, and every rule looks at a bounded stretch, or at what it then consumes.
// Idempotent.
func maskSecrets(s string) string {
	var b strings.Builder
	last := 0
	sc := secretScan{s: s}
	for i := 0; i+1 < len(s); i++ {
		g := uint16(lowerByte[s[i]])<<8 | uint16(lowerByte[s[i+1]])
		if secretKeys.bits[g>>6]&(1<<(g&63)) == 0 {
			continue
		}
		for _, r := range secretKeys.rules[secretKeys.group[g]] {
			if !hasKey(s, i, r) {
				continue
			}
			sc.last = last
			from, to := r.find(&sc, r, i, i+len(r.key))
			if sc.skip > i {
				i = sc.skip - 1
				break
			}
			if to <= from || from < last {
				continue
			}
			b.WriteString(s[last:from])
			b.WriteString(mask(sc.kindOf(r, from, to)))
			last = to
			i = max(i, to-1)
			break
		}
	}
	if last == 0 {
		return s
	}
	b.WriteString(s[last:])
	return b.String()
}

// MaskSecrets is the masking of credentials alone, for texts that are shown or logged and not cleaned.
func MaskSecrets(s string) string { return maskSecrets(s) }

// secretScan is one pass over a text.
type secretScan struct {
	s     string
	last  int  // end of the last mask
	skip  int  // nothing before here is looked at
	noSK  int  // end of a run that holds no key of the form "sk-"
	noPEM bool // no end of a PEM block follows
}

// kindOf is the kind of what rule r found: where the value is a token of a known issuer, that says more than the
// name it was assigned to.
func (sc *secretScan) kindOf(r *secretRule, from, to int) string {
	if r.charset != 0 || to-from < 2 {
		return r.kind
	}
	g := uint16(lowerByte[sc.s[from]])<<8 | uint16(lowerByte[sc.s[from+1]])
	for _, t := range secretKeys.rules[secretKeys.group[g]] {
		if t.charset != 0 && hasKey(sc.s, from, t) {
			if a, b := t.find(sc, t, from, from+len(t.key)); a == from && b > a {
				return t.kind
			}
		}
	}
	return r.kind
}

// secretRule is one row of the table: where key is found, find tells the bytes to mask, an empty range for none.
type secretRule struct {
	kind    string
	key     string // lower case where fold is set
	fold    bool   // letters of any case
	charset uint8
	min     int // characters after the key
	max     int // 0 for no bound: the whole run is consumed
	find    func(sc *secretScan, r *secretRule, at, after int) (from, to int)
}

// Character sets of tokens.
const (
	csAlnum uint8 = 1 << iota // letters and digits
	csUpper                   // capitals and digits
	csHex                     // lower-case hex
	csURL                     // letters, digits, - and _
	csDot                     // letters, digits, -, _, . and ~ + / =
	csPath                    // what stands in the path or query of a URL
)

var charsets = func() (t [256]uint8) {
	for c := 0; c < 128; c++ {
		ch := byte(c)
		alnum := isAlnum(ch)
		if alnum {
			t[c] |= csAlnum | csURL | csDot | csPath
		}
		if ch >= 'A' && ch <= 'Z' || ch >= '0' && ch <= '9' {
			t[c] |= csUpper
		}
		if ch >= 'a' && ch <= 'f' || ch >= '0' && ch <= '9' {
			t[c] |= csHex
		}
		if ch == '-' || ch == '_' {
			t[c] |= csURL | csDot | csPath
		}
		if strings.IndexByte(".~+/=", ch) >= 0 {
			t[c] |= csDot | csPath
		}
		if strings.IndexByte("?&%", ch) >= 0 {
			t[c] |= csPath
		}
	}
	return t
}()

var lowerByte = func() (t [256]byte) {
	for c := range t {
		t[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			t[c] = byte(c) + 'a' - 'A'
		}
	}
	return t
}()

// secretKeys is the index of secretRules by the first two bytes of their keys, letters folded.
var secretKeys = func() (ix struct {
	bits  [1024]uint64   // by pair: whether any rule begins with it
	group [1 << 16]uint8 // by pair: which of rules
	rules [][]*secretRule
}) {
	ix.rules = make([][]*secretRule, 1)
	for _, r := range secretRules() {
		g := uint16(lowerByte[r.key[0]])<<8 | uint16(lowerByte[r.key[1]])
		if ix.group[g] == 0 {
			ix.bits[g>>6] |= 1 << (g & 63)
			ix.group[g] = uint8(len(ix.rules))
			ix.rules = append(ix.rules, nil)
		}
		ix.rules[ix.group[g]] = append(ix.rules[ix.group[g]], &r)
	}
	return ix
}()

func hasKey(s string, i int, r *secretRule) bool {
	if len(s)-i < len(r.key) {
		return false
	}
	if !r.fold {
		return s[i:i+len(r.key)] == r.key
	}
	for k := 0; k < len(r.key); k++ {
		if lowerByte[s[i+k]] != r.key[k] {
			return false
		}
	}
	return true
}

// run is the end of the characters of a set from i on, looking at no more than limit of them (0: all).
func run(s string, i int, set uint8, limit int) int {
	end := len(s)
	if limit > 0 && i+limit < end {
		end = i + limit
	}
	for i < end && charsets[s[i]]&set != 0 {
		i++
	}
	return i
}

// secretRules is the table, in the order in which rules with the same beginning are tried.
//
// Formats of issued tokens come from the issuers' documentation, as collected by gitleaks and GitHub's secret
// scanning list. gitleaks itself is not used: as a library it brings a rule engine over regular expressions with
// bounded repeats (about a second a megabyte each), a configuration reader and archive readers.
func secretRules() []secretRule {
	var rules []secretRule
	token := func(kind string, set uint8, minLen, maxLen int, prefixes ...string) {
		for _, p := range prefixes {
			rules = append(rules, secretRule{kind: kind, key: p, charset: set, min: minLen, max: maxLen, find: findToken})
		}
	}
	token("siltstone", csURL, 61, 61, "silt_") // our own: an id, "_" and a secret
	token("aws", csUpper, 16, 16, "AKIA", "ASIA", "ABIA", "ACCA")
	token("github", csAlnum, 20, 0, "ghp_", "gho_", "ghu_", "ghs_", "ghr_")
	token("github", csURL, 22, 0, "github_pat_")
	token("gitlab", csURL, 20, 0, "glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glft-", "glimt-", "glagent-")
	token("slack", csURL, 10, 0, "xoxb-", "xoxp-", "xoxa-", "xoxs-", "xoxr-", "xoxe-", "xoxe.", "xapp-")
	token("stripe", csAlnum, 16, 0, "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_")
	token("anthropic", csURL, 20, 0, "sk-ant-")
	token("openai", csURL, 20, 0, "sk-proj-", "sk-svcacct-", "sk-admin-")
	token("api_key", csURL, 20, 0, "sk-or-v1-", "gsk_", "pplx-", "xai-", "r8_", "fw_", "nvapi-", "jina_", "tvly-", "fc-key-")
	rules = append(rules, secretRule{kind: "api_key", key: "sk-", charset: csURL, min: 20, find: findGenericSK})
	token("google", csURL, 35, 35, "AIza")
	token("google", csURL, 24, 0, "GOCSPX-")
	token("google", csDot, 20, 0, "ya29.")
	token("huggingface", csAlnum, 30, 0, "hf_")
	token("npm", csAlnum, 36, 36, "npm_")
	token("pypi", csURL, 50, 0, "pypi-AgE")
	token("rubygems", csHex, 48, 48, "rubygems_")
	token("docker", csURL, 20, 0, "dckr_pat_", "dckr_oat_")
	token("digitalocean", csHex, 64, 64, "dop_v1_", "doo_v1_", "dor_v1_")
	token("sendgrid", csDot, 60, 0, "SG.")
	token("mailgun", csHex, 32, 32, "key-")
	token("twilio", csHex, 32, 32, "SK")
	token("shopify", csAlnum, 32, 32, "shpat_", "shpss_", "shpca_", "shppa_")
	token("atlassian", csDot, 60, 0, "ATATT3", "ATCTT3")
	token("databricks", csHex, 32, 32, "dapi")
	token("linear", csAlnum, 32, 0, "lin_api_", "lin_oauth_")
	token("notion", csAlnum, 40, 0, "ntn_", "secret_")
	token("figma", csURL, 40, 0, "figd_")
	token("grafana", csURL, 32, 0, "glsa_", "glc_")
	token("vault", csURL, 24, 0, "hvs.", "hvb.", "hvr.")
	token("doppler", csDot, 40, 0, "dp.pt.", "dp.st.", "dp.ct.")
	token("sentry", csDot, 40, 0, "sntrys_", "sntryu_")
	token("supabase", csHex, 40, 40, "sbp_")
	token("planetscale", csDot, 32, 0, "pscale_tkn_", "pscale_pw_", "pscale_oauth_")
	token("square", csURL, 22, 0, "sq0atp-", "sq0csp-")
	token("postman", csURL, 40, 0, "PMAK-")
	token("newrelic", csAlnum, 27, 0, "NRAK-")
	token("netlify", csURL, 36, 0, "nfp_")
	token("age", csUpper, 58, 58, "AGE-SECRET-KEY-1")
	token("alibaba", csAlnum, 12, 24, "LTAI")
	token("tencent", csAlnum, 32, 32, "AKID")
	token("webhook", csPath, 24, 0, "hooks.slack.com/services/", "discord.com/api/webhooks/", "open.feishu.cn/open-apis/bot/v2/hook/",
		"open.larksuite.com/open-apis/bot/v2/hook/", "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", "oapi.dingtalk.com/robot/send?access_token=")
	rules = append(rules,
		secretRule{kind: "telegram", key: ":AA", charset: csURL, min: 33, max: 33, find: findTelegram},
		secretRule{kind: "jwt", key: "eyJ", find: findJWT},
		secretRule{kind: "link", key: "/secret/", fold: true, find: findLink}, secretRule{kind: "link", key: "/secrets/", fold: true, find: findLink},
		secretRule{kind: "link", key: "/one-time/", fold: true, find: findLink}, secretRule{kind: "link", key: "/onetime/", fold: true, find: findLink},
		secretRule{kind: "link", key: "/magic/", fold: true, find: findLink}, secretRule{kind: "link", key: "/magic-link/", fold: true, find: findLink},
		secretRule{kind: "link", key: "/reset-password/", fold: true, find: findLink}, secretRule{kind: "link", key: "/password-reset/", fold: true, find: findLink},
		secretRule{kind: "link", key: "/otp/", fold: true, find: findLink},
		secretRule{kind: "private_key", key: "-----BEGIN ", find: findPEM},
		secretRule{kind: "private_key", key: "-----END ", find: findPEMEnd},
		secretRule{kind: "private_key", key: "Private-Lines: ", find: findPuTTY},
		secretRule{kind: "password", key: "://", find: findURLPassword},
		secretRule{kind: "authorization", key: "authorization", fold: true, find: findAuthorization},
		secretRule{kind: "bearer", key: "bearer ", fold: true, find: findBearer},
		secretRule{kind: "cookie", key: "cookie:", fold: true, find: findCookie},
		secretRule{kind: "password", key: "-u ", find: findUserFlag}, secretRule{kind: "password", key: "--user ", find: findUserFlag},
		secretRule{kind: "password", key: "sshpass -p", find: findFlagValue},
	)
	// A mask that is there already: the words in it assign nothing.
	rules = append(rules, secretRule{key: "[secret:", find: func(sc *secretScan, _ *secretRule, at, after int) (int, int) {
		if n := strings.IndexByte(sc.s[after:min(len(sc.s), after+24)], ']'); n >= 0 {
			sc.skip = after + n + 1
		}
		return 0, 0
	}})
	for _, k := range assignedKeys {
		rules = append(rules, secretRule{kind: k.kind, key: k.key, fold: true, find: findAssigned})
	}
	return rules
}
