package main

import (
	"bytes"
	"fmt"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// errorPage is the reference of errors in one language.
type errorPage struct {
	path, head, yes, no string
	texts               func(schema.CodeInfo) (meaning, remedy string, ok bool)
}

var errorPages = []errorPage{
	{"docs/errors.md", errorsHead, "yes", "no", func(i schema.CodeInfo) (string, string, bool) { return i.Meaning, i.Remedy, true }},
	{"docs/errors.zh.md", errorsHeadZH, "是", "否", func(i schema.CodeInfo) (string, string, bool) {
		t, ok := errorsZH[i.Code]
		return t[0], t[1], ok
	}},
}

const errorsHead = `# Errors

Made by ` + "`make generate`" + ` from ` + "`schema.Catalogue`" + `; a test fails where it differs. [中文](errors.zh.md)

Over HTTP every error is JSON: ` + "`{\"error\":{\"code\",\"message\",\"field\"?},\"request_id\"}`" + `. A client may rely on the code and the
status; messages are for people and may change. ` + "`field`" + ` names the field of the body, the parameter or the header at fault.
` + "`request_id`" + ` is the answer's ` + "`X-Request-Id`" + `: the one that the request brought, where that was 1 to 128 printable ASCII
characters, else a new one; the server's log names faults under it.

The NATS services answer with the same code and message in ` + "`Nats-Service-Error`" + `, the number below in
` + "`Nats-Service-Error-Code`" + `, and ` + "`{\"code\",\"message\",\"field\"?}`" + ` as the body.

| code | HTTP | NATS | retry helps | meaning | what to do |
| --- | --- | --- | --- | --- | --- |
`

const errorsHeadZH = `# 错误

由 ` + "`make generate`" + ` 从 ` + "`schema.Catalogue`" + ` 生成；与代码不一致时测试会失败。[English](errors.md)

HTTP 的错误一律是 JSON：` + "`{\"error\":{\"code\",\"message\",\"field\"?},\"request_id\"}`" + `。客户端可以依赖错误码和状态码；message 是写给人看的，
措辞可能改变。` + "`field`" + ` 指出出错的请求体字段、参数或请求头。` + "`request_id`" + ` 就是响应头 ` + "`X-Request-Id`" + `：请求自带的值若是 1 到 128 个
可打印 ASCII 字符则沿用，否则新生成；服务器日志用它标记故障。

NATS 服务用 ` + "`Nats-Service-Error`" + ` 给出同样的错误码和消息，用 ` + "`Nats-Service-Error-Code`" + ` 给出下表的数字，消息体是
` + "`{\"code\",\"message\",\"field\"?}`" + `。

| 错误码 | HTTP | NATS | 重试有用 | 含义 | 怎么办 |
| --- | --- | --- | --- | --- | --- |
`

// errorsZH are the meaning and the remedy of every code in Chinese.
var errorsZH = map[schema.Code][2]string{
	schema.CodeInvalid:         {"请求不符合约定；`field` 指出哪里。", "改正该字段后重发。"},
	schema.CodeUnauthenticated: {"没有凭证，或凭证无效：未知、已过期或已撤销。", "发送 `Authorization: Bearer` 加令牌；用 `siltstone token` 创建令牌。"},
	schema.CodeRateLimited:     {"该地址在没有有效令牌的情况下尝试过多。", "按 `Retry-After` 等待，并发送有效的令牌。"},
	schema.CodeDenied:          {"凭证、来源级别、Host 头或来源站点不允许这样做。", "使用具有接口说明所列权限的凭证，或服务器认可的主机名。"},
	schema.CodeNotFound:        {"没有这个路径、事件、记忆、工具或任务，或者它已被遗忘。", "检查 id 和租户；刚接收的事件在处理完成后即可查到。"},
	schema.CodeMethod:          {"路径存在，但不支持这个方法。", "使用响应头 `Allow` 列出的方法。"},
	schema.CodeSlowBody:        {"请求体到达得比最低速率还慢。", "换更快的线路重发，或分成更小的几份。"},
	schema.CodeConflict:        {"这个 id 已被另一份内容占用，或属于一个已被抹除的事件。", "给新内容用新的 id。"},
	schema.CodeSuperseded:      {"这条记忆已成为历史：另一条陈述取代了它。", "修改现在成立的那一条（消息里有它的 id），或另写一条。"},
	schema.CodeTooLarge:        {"请求体、单行、文本或回复超过上限（压缩的按解压后计算）。", "拆分后重发；消息或配置里写明了上限。"},
	schema.CodeMediaType:       {"请求体的媒体类型或编码不被该路径接受；`field` 指出是哪个请求头。", "发送 JSON；可批量的路径也可发送 NDJSON；可以不压缩或用 gzip。"},
	schema.CodeInternal:        {"服务器自身的故障。", "附上 request id 报告，服务器日志用它标记这次故障。"},
	schema.CodeCorrupt:         {"存储的字节与其哈希不符。", "报告此问题；用备份恢复数据目录。"},
	schema.CodeUnsupported:     {"这个版本不认识的 schema 版本或参数。", "升级服务器，或去掉该参数。"},
	schema.CodeUnavailable:     {"服务器依赖的某个部件没有应答。", "稍后重试，有 `Retry-After` 时按它等待；`/readyz` 指出哪个部件不可用。"},
	schema.CodeOverloaded:      {"达到了服务器的某个上限：请求数、字节数，或等待处理的积压。", "按 `Retry-After` 等待后重试，并减少并发。"},
	schema.CodeNoSpace:         {"服务器的磁盘将满或无法写入：在能写入之前不再存储新内容。", "按 `Retry-After` 等待后重试；由服务器的管理者腾出空间，之后会自行恢复。在此之前 `/readyz` 报告 `disk`。"},
	schema.CodeTimeout:         {"超过时限。写入是否生效不能确定。", "原样重发；id 相同的一轮对话只会存一次。"},
}

// errorReference adds the references of errors.
func errorReference(out map[string][]byte) error {
	for _, p := range errorPages {
		b := bytes.NewBufferString(p.head)
		for _, i := range schema.Catalogue {
			meaning, remedy, ok := p.texts(i)
			if !ok {
				return fmt.Errorf("%s: %s has no text", p.path, i.Code)
			}
			retry := p.no
			if i.Retry {
				retry = p.yes
			}
			fmt.Fprintf(b, "| `%s` | %d | %d | %s | %s | %s |\n", i.Code, i.HTTP, i.NATS, retry, meaning, remedy)
		}
		out[p.path] = b.Bytes()
	}
	return nil
}
