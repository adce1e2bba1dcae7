package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/config"
)

// configTexts are the words of the reference of settings in one language.
type configTexts struct {
	path, head, alone, columns, toFile, none string
	help                                     func(config.Key) string
	kinds                                    map[string]string
}

const configHead = `# Configuration

Made by ` + "`make generate`" + ` from ` + "`internal/config`" + `; a test fails where it differs. [中文](configuration.zh.md)

One configuration serves ` + "`siltstone up`" + ` and the roles ` + "`ingester`" + `, ` + "`distiller`" + ` and ` + "`retriever`" + `. A setting has one name in
three spellings, and the later of these lies over the earlier:

1. the default, below;
2. a YAML file: ` + "`--config FILE`" + `, or else the one that ` + "`SILTSTONE_CONFIG`" + ` names;
3. the environment: ` + "`read.mode`" + ` is ` + "`SILTSTONE_READ_MODE`" + `;
4. flags: ` + "`read.mode`" + ` is ` + "`--read-mode`" + `; ` + "`--http`" + ` is short for ` + "`--http-addr`" + `; a flag of a bool alone means true.

A value is spelt alike in all of them. A list is ` + "`a,b`" + `, in the file ` + "`[a, b]`" + ` too; a duration has its unit: ` + "`500ms`" + `,
` + "`30s`" + `, ` + "`5m`" + `. A key of the file without a value keeps what holds. A key, variable or flag that does not exist is refused,
naming the nearest that does, and so is a value of the wrong type or out of its bounds; every fault is reported at once,
with the file's line, the variable or the flag that set it. Such a start ends with exit status 2 and touches nothing.

` + "```sh" + `
siltstone config example > siltstone.yaml     # every setting, commented out
siltstone config check --config siltstone.yaml
siltstone config show --changed               # what is not a default, and where it comes from; secrets are masked
` + "```" + `

` + "[`deploy/siltstone.example.yaml`](../deploy/siltstone.example.yaml)" + ` is that example. Variables that are no settings: those of the
tool that talks to a server (` + "`SILTSTONE_SERVER`, `SILTSTONE_TENANT`, `SILTSTONE_TOKEN`, `SILTSTONE_TOKEN_FILE`, `SILTSTONE_ALLOW_PLAIN_HTTP`" + `), and ` + "`SILTSTONE_TEST_…`" + `
of the test suites. A 🔒 marks what is, or may hold, a secret: better in a file that only its owner reads, or in the
environment, than in a flag, which others on the machine may see.
`

const configHeadZH = `# 配置

由 ` + "`make generate`" + ` 根据 ` + "`internal/config`" + ` 生成；内容不一致时测试会失败。[English](configuration.md)

` + "`siltstone up`" + ` 与各角色 ` + "`ingester`、`distiller`、`retriever`" + ` 共用同一套配置。每个设置只有一个名字、三种写法，后面的
覆盖前面的：

1. 默认值，见下表；
2. YAML 文件：` + "`--config 文件`" + `，未给出时用 ` + "`SILTSTONE_CONFIG`" + ` 指定的文件；
3. 环境变量：` + "`read.mode`" + ` 写作 ` + "`SILTSTONE_READ_MODE`" + `；
4. 命令行标志：` + "`read.mode`" + ` 写作 ` + "`--read-mode`" + `；` + "`--http`" + ` 是 ` + "`--http-addr`" + ` 的简写；布尔标志单独出现即为 true。

同一个值在各处写法相同。列表写作 ` + "`a,b`" + `，在文件里也可以写 ` + "`[a, b]`" + `；时长要带单位：` + "`500ms`、`30s`、`5m`" + `。文件里没有
值的键保持原值。不存在的键、变量或标志会被拒绝，并指出最接近的名字；类型错误或超出范围的值同样被拒绝。所有错误一次报完，
并注明是文件的哪一行、哪个变量或哪个标志设置的。这样的启动以退出码 2 结束，不触碰任何东西。

` + "```sh" + `
siltstone config example > siltstone.yaml     # 全部设置，均已注释掉
siltstone config check --config siltstone.yaml
siltstone config show --changed               # 非默认的设置及其来源；密钥会被遮盖
` + "```" + `

` + "[`deploy/siltstone.example.yaml`](../deploy/siltstone.example.yaml)" + ` 就是这个示例。不属于设置的变量：与服务器对话的工具所用的
` + "`SILTSTONE_SERVER`、`SILTSTONE_TENANT`、`SILTSTONE_TOKEN`、`SILTSTONE_TOKEN_FILE`、`SILTSTONE_ALLOW_PLAIN_HTTP`" + `，以及测试套件的 ` + "`SILTSTONE_TEST_…`" + `。
🔒 标记的值是（或可能含有）密钥：最好放在只有所有者可读的文件或环境变量里；写成命令行标志，机器上的其他人可能看到。
`

// configuration adds the reference of settings in both languages, and the example file.
func configuration(out map[string][]byte) error {
	out["deploy/siltstone.example.yaml"] = []byte(config.Example())
	for _, t := range []configTexts{
		{
			path: "docs/configuration.md", head: configHead, alone: "General", toFile: "file only", none: "empty",
			columns: "| key | default | kind | variable, flag | effect |", help: func(k config.Key) string { return k.Help },
			kinds: map[string]string{"text": "text", "list": "list", "number": "number", "bool": "bool", "duration": "duration", "tools": "list of policies"},
		},
		{
			path: "docs/configuration.zh.md", head: configHeadZH, alone: "总体", toFile: "只能写在文件里", none: "空",
			columns: "| 键 | 默认值 | 类型 | 变量、标志 | 作用 |", help: func(k config.Key) string { return k.HelpZH },
			kinds: map[string]string{"text": "文本", "list": "列表", "number": "数", "bool": "布尔", "duration": "时长", "tools": "策略列表"},
		},
	} {
		b, err := t.render()
		if err != nil {
			return err
		}
		out[t.path] = b
	}
	return nil
}

func (t configTexts) render() ([]byte, error) {
	var order []string
	groups := map[string][]config.Key{}
	for _, k := range config.Keys() {
		g := k.Group()
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], k)
	}
	var b bytes.Buffer
	b.WriteString(t.head)
	for _, g := range order {
		title := "`" + g + "`"
		if g == "" {
			title = t.alone
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n| --- | --- | --- | --- | --- |\n", title, t.columns)
		for _, k := range groups[g] {
			kind, help := t.kinds[k.Kind()], t.help(k)
			if kind == "" || help == "" {
				return nil, fmt.Errorf("%s: %s has no words for its kind %q or its effect", t.path, k.Name, k.Kind())
			}
			value := "`" + k.Text(k.Default) + "`"
			if k.Kind() == "tools" || value == "``" {
				value = t.none
			}
			lock := ""
			if k.Secret() {
				lock = " 🔒"
			}
			where := t.toFile
			if k.Flag != "" {
				where = "`" + k.Env + "` `--" + k.Flag + "`"
			}
			fmt.Fprintf(&b, "| `%s`%s | %s | %s | %s | %s |\n", k.Name, lock, value, kind, where, strings.ReplaceAll(help, "|", `\|`))
		}
	}
	return b.Bytes(), nil
}
