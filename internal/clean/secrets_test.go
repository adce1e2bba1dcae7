package clean

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

func corpus(t testing.TB, name string) []string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []string
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if l := strings.ReplaceAll(sc.Text(), "¦", ""); l != "" && !strings.HasPrefix(l, "# ") {
			lines = append(lines, l)
		}
	}
	return lines
}

// shapes are places in which a secret turns up.
var shapes = []string{"%s", "%s\n", "before\n%s\nafter", "> %s", "- %s", "说明：%s", "`%s`"}

func TestSecretsAreMasked(t *testing.T) {
	cases := corpus(t, "secrets_positive.txt")
	for _, l := range cases {
		f := strings.Split(l, "\t")
		if len(f) != 3 {
			t.Fatalf("bad line %q", l)
		}
		kind, text, secret := f[0], f[1], f[2]
		for _, shape := range shapes {
			in := strings.Replace(shape, "%s", text, 1)
			out := MaskSecrets(in)
			if strings.Contains(out, secret) {
				t.Errorf("%q: the secret is still there in %q", in, out)
				break
			}
			if shape == "%s" && !strings.Contains(out, "[secret:") {
				t.Errorf("%q: no mask in %q", in, out)
			}
			if shape == "%s" && !strings.Contains(out, mask(kind)) {
				t.Errorf("%q: want kind %s, got %q", in, kind, out)
			}
			if again := MaskSecrets(out); again != out {
				t.Errorf("not idempotent: %q then %q", out, again)
			}
		}
	}
	t.Logf("%d secrets", len(cases))
}

func TestOrdinaryTextIsNotMasked(t *testing.T) {
	cases := corpus(t, "secrets_negative.txt")
	for _, l := range cases {
		for _, shape := range shapes {
			if in := strings.Replace(shape, "%s", l, 1); MaskSecrets(in) != in {
				t.Errorf("%q became %q", in, MaskSecrets(in))
				break
			}
		}
	}
	t.Logf("%d texts", len(cases))
}

func TestPrivateKeysAreMaskedWhole(t *testing.T) {
	body := "MIIEpAIBAAKCAQEA7bq8TgfkR2Zo0ZQzq1Nn3c8oYw5V1x9pQ2mXr7sK4uL6tJh3\n"
	begin, end := "-----BEGIN "+"RSA PRIVATE KEY-----\n", "-----END "+"RSA PRIVATE KEY-----\n"
	for name, in := range map[string]string{
		"whole": "key:\n" + begin + body + body + body + end + "bye", "cut at the end": "key:\n" + begin + body + body,
		"cut at the start": body + body + body + end + "bye", "in JSON": `{"k":"` + strings.ReplaceAll(begin+body+body+end, "\n", `\n`) + `"}`,
		"cut in JSON": `{"k":"` + strings.ReplaceAll(begin+body+body, "\n", `\n`),
	} {
		out := MaskSecrets(in)
		if strings.Contains(out, "MIIEpAIBAAKCAQEA") || !strings.Contains(out, "[secret:private_key]") {
			t.Errorf("%s: %q", name, out)
		}
		if strings.Contains(in, "bye") && !strings.Contains(out, "bye") {
			t.Errorf("%s: what follows is gone: %q", name, out)
		}
	}
	cert := "-----BEGIN CERTIFICATE-----\n" + body + "-----END CERTIFICATE-----\n"
	if MaskSecrets(cert) != cert {
		t.Error("a certificate is no secret")
	}
}
