package text

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain opens the dictionaries in a directory of its own, or plays the child of a test that needs a process.
func TestMain(m *testing.M) {
	if mode := os.Getenv("SILT_TEXT_CHILD"); mode != "" {
		childMain(mode)
		return
	}
	dir, err := os.MkdirTemp("", "silt-dict")
	if err != nil {
		panic(err)
	}
	if _, err := Open(Config{CacheDir: dir}); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func childMain(mode string) {
	clobberPaths()
	info, err := Open(Config{CacheDir: os.Getenv("SILT_TEXT_CACHE")})
	switch mode {
	case "unwritable":
		if err != nil && info.Fallback != "" {
			fmt.Println("failed", info.Segmenter, "fallback")
		}
	case "hostile":
		for _, s := range hostile {
			d := Analyze(s)
			d.Terms()
			d.Entities(9)
		}
		return
	}
	var ws []string
	for _, t := range Segment("我来到北京清华大学") {
		ws = append(ws, t.Text)
	}
	fmt.Println(strings.Join(ws, " "))
}

// hostile is input that made gojieba drop text, write to standard error, return tokens that are not UTF-8, or worse.
var hostile = []string{
	"我来到北京\x00清华大学", "bad \xff\xfe 中文", "截断的尾\xe5\xb0", "\xc0\x80", "\xe4\xe4\xb8 中文", "\xed\xa0\x80", "", " ", "/", "//x", "\x00",
	"👨‍👩‍👧‍👦🇨🇳👍🏽 家人", "\u202e反向 \u200b零宽", "e\u0301te\u0301 café", "ＡＢＣ１２３．ｐｙ", strings.Repeat("我", 5000), strings.Repeat("9f", 5000),
	"臺灣的烏龍茶", "𠮷野家 㐂", "\r\n\t", "¥", "$", "+", "(", "(5", "v", "1.", "--", "a@", "@b.c", "http://", "C:\\", "a'é", "a’é", "\x01", " \x00\x01", "!\x00!\x12", "\\\\", "~/", "./", "《", "《》", "·", "王·", "[source: ", "[source: x] ", "2026-", "2026年", "Nov", "Nov ", "12", "1,2,3,4", "1,000,", "3点", "3:", "10:3", "…",
}
