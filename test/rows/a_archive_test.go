package rows

import (
	"strings"
	"testing"
	"time"
)

func TestA9_AFileNameSeenOnlyInAToolsOutputIsFoundLater(t *testing.T) {
	c := tenant(t)
	x := turn("list", "看看发布目录里有哪些脚本。", "目录里有几个脚本，需要打开哪一个？", tool("files_list", `{"path":"/srv/tools/release","entries":["deploy.py","rollback.sh"]}`))
	x.At = day.AddDate(0, -4, 0)
	y := turn("talk", "发布流程还要再看看。", "好的，之后再看。")
	y.At, y.Conversation = day.Add(-24*time.Hour), "c-2"
	c.Put(x, y)
	for _, q := range []string{"deploy.py 在哪个目录？", "Which folder is deploy.py in?"} {
		r := c.Ask(ask(q))
		if len(r.Items) == 0 || r.Items[0].Source.Event != "list" || !strings.Contains(r.Block, "/srv/tools/release") {
			t.Errorf("%s finds %v, block\n%s", q, contents(r.Items), r.Block)
		}
	}
}
