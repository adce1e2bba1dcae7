package retrieve

import (
	"context"
	"fmt"
	"math"

	"github.com/siltstone-ai/siltstone/internal/rank"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Questions and statements of which no question is answered by any statement: what a model makes of texts that have
// nothing to do with one another. They are in both languages, in the tone of what people tell an assistant.
var (
	unrelatedAsked = map[string][]string{
		"en": {
			"When is my dentist appointment?", "Which port does the test database use?", "What did Ana give her brother?",
			"Where do we keep the spare keys?", "How long is the flight to Oslo?", "Who reviews the release notes?",
			"What is my blood type?", "Why did the backup fail?", "Which tea does she like best?", "What colour is the new sofa?",
		},
		"zh": {
			"我的牙医预约是什么时候？", "测试数据库用哪个端口？", "安娜送了她弟弟什么？", "备用钥匙放在哪里？", "飞奥斯陆要多久？",
			"发布说明由谁审核？", "我是什么血型？", "备份为什么失败了？", "她最喜欢喝哪种茶？", "新沙发是什么颜色的？",
		},
	}
	unrelatedSaid = map[string][]string{
		"en": {
			"The choir sings in the old church on Sundays.", "Our tomatoes were eaten by snails again.", "I finally learned to juggle four balls.",
			"The bridge was closed because of the strong wind.", "My uncle repairs clocks in a small village.", "We watched the lunar eclipse from the roof.",
			"The museum shows Roman coins this month.", "He broke his ski on the second day.", "The bakery sells rye bread only in winter.", "I am reading a novel about a lighthouse.",
		},
		"zh": {
			"合唱团每个星期天在老教堂里唱歌。", "我们种的西红柿又被蜗牛吃了。", "我终于学会了同时抛四个球。", "大桥因为刮大风封闭了。", "我叔叔在一个小村子里修钟表。",
			"我们在屋顶上看了月食。", "博物馆这个月展出古罗马硬币。", "他滑雪第二天就把雪板弄断了。", "那家面包店只在冬天卖黑麦面包。", "我在读一本关于灯塔的小说。",
		},
	}
)

// Calibrate measures where a model puts texts that have nothing to do with one another, within a language and across two,
// and sets the dense arm of cfg by it: models differ more in that than in anything else, and every floor of the ranking
// counts from there. It embeds forty short texts in two calls and may block on them.
func Calibrate(ctx context.Context, e Embedder, cfg *rank.Config) error {
	languages := []string{"en", "zh"}
	embed := func(texts map[string][]string, kind schema.EmbedKind) (map[string][][]float32, error) {
		var all []string
		for _, l := range languages {
			all = append(all, texts[l]...)
		}
		vs, err := e.Embed(ctx, all, kind)
		if err != nil {
			return nil, fmt.Errorf("embed unrelated texts: %w", err)
		}
		if len(vs) != len(all) {
			return nil, fmt.Errorf("embed unrelated texts: %d vectors for %d texts", len(vs), len(all))
		}
		out := map[string][][]float32{}
		for _, l := range languages {
			out[l], vs = vs[:len(texts[l])], vs[len(texts[l]):]
		}
		return out, nil
	}
	asked, err := embed(unrelatedAsked, schema.EmbedQuery)
	if err != nil {
		return err
	}
	said, err := embed(unrelatedSaid, schema.EmbedPassage)
	if err != nil {
		return err
	}
	var same, cross []float64
	for _, lq := range languages {
		for _, lt := range languages {
			for _, q := range asked[lq] {
				for _, t := range said[lt] {
					if lq == lt {
						same = append(same, cosine(q, t))
					} else {
						cross = append(cross, cosine(q, t))
					}
				}
			}
		}
	}
	cfg.Dense.Mean, cfg.Dense.Dev = spread(same)
	cfg.CrossMean, _ = spread(cross)
	cfg.Dense.Dev = math.Max(cfg.Dense.Dev, 1e-3)
	return nil
}

// cosine is that of vectors of unit length.
func cosine(a, b []float32) float64 {
	s := 0.0
	for i := range min(len(a), len(b)) {
		s += float64(float64(a[i]) * float64(b[i]))
	}
	return s
}

func spread(xs []float64) (mean, dev float64) {
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	for _, x := range xs {
		dev += float64((x-mean)*(x-mean)) / float64(len(xs))
	}
	return mean, math.Sqrt(dev)
}
