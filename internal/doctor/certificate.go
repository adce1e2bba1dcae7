package doctor

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"
)

// renewBefore is how long before its end a certificate should have been renewed.
const renewBefore = 14 * 24 * time.Hour

// Certificate judges at now the certificate and the key of the HTTP edge, two PEM files: can they be read, do they
// belong together, is the certificate valid, and can others read the key.
func Certificate(cert, key string, now time.Time) Finding {
	const check = "TLS"
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		mend := "see that http.tls_cert and http.tls_key are the PEM files of one certificate and its key"
		switch {
		case errors.Is(err, fs.ErrNotExist):
			mend = "put the file there, or set http.tls_cert and http.tls_key to where it is"
		case errors.Is(err, fs.ErrPermission):
			mend = "let the user that runs Siltstone read it"
		}
		return Finding{check, Fail, fmt.Sprintf("%s and %s: %v", cert, key, err), mend}
	}
	leaf, day := pair.Leaf, func(t time.Time) string { return t.UTC().Format(time.DateOnly) }
	renew := "renew the certificate in " + cert + "; a running server takes the new one up by itself"
	switch {
	case now.After(leaf.NotAfter):
		return Finding{check, Fail, fmt.Sprintf("the certificate in %s ended on %s: clients refuse it", cert, day(leaf.NotAfter)), renew}
	case now.Before(leaf.NotBefore):
		return Finding{check, Fail, fmt.Sprintf("the certificate in %s holds from %s on only: clients refuse it", cert, day(leaf.NotBefore)), "look at the clock, or use the certificate that holds now"}
	}
	if st, err := os.Stat(key); err == nil && runtime.GOOS != "windows" && st.Mode().Perm()&0o007 != 0 { // the group may: container platforms mount it so
		return Finding{check, Warn, fmt.Sprintf("every user of this machine can read the key %s (mode %04o)", key, st.Mode().Perm()), "chmod 600 " + key}
	}
	if left := leaf.NotAfter.Sub(now); left < renewBefore {
		return Finding{check, Warn, fmt.Sprintf("the certificate in %s ends in %d days, on %s", cert, int(left.Hours()/24), day(leaf.NotAfter)), renew}
	}
	names := leaf.DNSNames
	for _, ip := range leaf.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return Finding{check, Warn, fmt.Sprintf("the certificate in %s is for no name: clients refuse it", cert), "use one with the server's names as subject alternative names"}
	}
	return Finding{check, OK, fmt.Sprintf("for %s until %s", strings.Join(names, ", "), day(leaf.NotAfter)), ""}
}
