package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every page that is there in Chinese is there in English, and each links to the other near its top.
func TestPagesLinkToTheirOtherLanguage(t *testing.T) {
	root := filepath.Join("..", "..")
	out, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "*.zh.md").Output()
	if err != nil {
		t.Skipf("the files cannot be listed: %v", err)
	}
	pages := strings.Fields(string(out))
	if len(pages) < 10 {
		t.Errorf("only %d Chinese pages", len(pages))
	}
	for _, zh := range pages {
		en := strings.TrimSuffix(zh, ".zh.md") + ".md"
		for page, link := range map[string]string{zh: "[English](" + filepath.Base(en) + ")", en: "[中文](" + filepath.Base(zh) + ")"} {
			b, err := os.ReadFile(filepath.Join(root, page))
			if err != nil {
				t.Errorf("%s has no counterpart: %v", zh, err)
				continue
			}
			lines := strings.SplitN(string(b), "\n", 6)
			if top := strings.Join(lines[:min(5, len(lines))], "\n"); !strings.Contains(top, link) {
				t.Errorf("%s does not link to %s in its first lines", page, link)
			}
		}
	}
}
