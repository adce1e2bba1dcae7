package config

// helpZH is the effect of every setting in Chinese, by name. A test fails where one is missing or superfluous.
var helpZH = map[string]string{
	"data":   "内嵌服务器的数据目录；创建时权限为 0700",
	"roles":  "本进程运行的角色：ingester、distiller、retriever、all（全部）或 none（只运行服务器）",
	"stages": "distiller 运行的阶段：all（全部），或 clean、vectorize、extract、distill、decide、llm、forget 中的任意几个",

	"http.addr":          "HTTP 接口的地址；超出本机回环时需要令牌和 TLS，或者设置 http.insecure",
	"http.insecure":      "允许在没有 TLS 的情况下监听回环以外的地址；没有令牌时也不要求令牌；须由别的设施来保护",
	"http.tls_cert":      "HTTP 接口证书链的 PEM 文件；文件改变时重新读取；为空则不用 TLS",
	"http.tls_key":       "证书私钥的 PEM 文件",
	"http.hosts":         "除回环名称和请求到达的地址外，还应答的 Host 请求头",
	"http.max_turn":      "单个轮次的最大字节数",
	"http.max_batch":     "一个批次的最大字节数",
	"http.max_conns":     "同时打开的连接数，至多为进程可打开文件数的四分之一；超出时关闭空闲最久的连接",
	"http.max_open":      "同时处理的请求数，同时打开的请求为其四倍；超出时回答 503 并附 Retry-After",
	"http.max_buffer":    "同时放在内存中的请求体字节数；超出时回答 503 并附 Retry-After",
	"http.write_timeout": "写请求在请求体收完之后的时限；对批次而言是每一段的时限",

	"auth.tokens": "令牌文件，见 siltstone token；为空则为数据目录里的 tokens.json。其中一旦有令牌，每个请求就都需要令牌",

	"nats.url":       "NATS 服务器地址，逗号分隔；为空则在本进程内运行一个",
	"nats.creds":     "凭据文件",
	"nats.listen":    "内嵌 NATS 服务器监听的回环地址；为空则不监听。各监听器的口令写在数据目录的 connect.yaml 里",
	"nats.replicas":  "集群上流和消费者的副本数",
	"nats.max_log":   "日志的最大字节数；0 表示只受存储自身限制",
	"nats.max_work":  "一个世代的工作流的最大字节数；写满即产生背压",
	"nats.file_work": "把工作流放在磁盘而不是内存里",
	"nats.sync_each": "内嵌服务器：每次确认之前先 fsync",

	"qdrant.addr":   "Qdrant 的 gRPC 地址 host:port；为空则在本进程内运行一个兼容的服务器",
	"qdrant.key":    "API 密钥",
	"qdrant.tls":    "使用 TLS",
	"qdrant.listen": "内嵌服务器监听的回环地址；为空则不监听",

	"redis.url":    "redis:// 或 rediss:// 地址；为空则在本进程内运行一个",
	"redis.listen": "内嵌服务器监听的回环地址；为空则不监听",

	"embed.url":            "OpenAI 兼容服务器的基础地址（…/v1）；为空则使用内置的向量模型",
	"embed.allow_private":  "允许 embed.url 中 localhost 以外的名称解析到私有地址（例如容器网络）；直接写成数字的地址无需允许；链路本地地址和云元数据地址永远不会访问",
	"embed.proxy_url":      "访问该服务器所用的 HTTP 代理；为空则不用，不看环境变量",
	"embed.key":            "该服务器的 API 密钥",
	"embed.model":          "发给该服务器的模型名",
	"embed.dim":            "向量维数：内置嵌入器固定为 256，使用 embed.url 时为该模型的维数（1 到 65536）",
	"embed.batch":          "每次请求的文本数",
	"embed.timeout":        "为段落求向量的单次调用的时限；查询另有时限",
	"embed.query_prefix":   "加在每个查询前面的文字，e5 类模型需要",
	"embed.passage_prefix": "加在每个段落前面的文字",
	"embed.change":         "即使索引属于另一个模型也启动：在 siltstone replay --switch 用本模型填满新的一代之前，只按词语作答，且缺少新的内容",
	"embed.cache_mb":       "保存在内存里的向量，单位 MiB",
	"embed.keep_mb":        "设置了 embed.url 时：在日志旁保存的段落向量，单位 MiB，使重放或向量库丢失后无需再次嵌入；最旧的先被丢弃；0 表示不保存",

	"llm.url":           "OpenAI 兼容对话服务器的基础地址（…/v1）；为空则不询问任何语言模型",
	"llm.allow_private": "允许 llm.url 中 localhost 以外的名称解析到私有地址（例如容器网络）",
	"llm.proxy_url":     "访问该服务器所用的 HTTP 代理；为空则不用，不看环境变量",
	"llm.key":           "该服务器的 API 密钥",
	"llm.key_file":      "存放该 API 密钥的文件，代替 llm.key",
	"llm.model":         "发给该服务器的模型名",
	"llm.timeout":       "针对一段文本的全部调用的时限",
	"llm.parallel":      "一个进程同时询问的轮次数",
	"llm.max_input":     "一段文本给模型看的字节数",
	"llm.max_output":    "一个回答的 token 数上限",
	"llm.day_calls":     "一个租户一天得到回答的调用次数（UTC，按轮次被接收的时刻）；超出部分不由模型阅读；0 表示不限",
	"llm.day_tokens":    "一个租户一天提问与回答的 token 数；0 表示不限",
	"llm.day_time":      "一个租户一天的调用时间；0 表示不限",
	"llm.keep":          "在日志旁保存的回答数，使重放不会重复提问；最旧的先被丢弃",

	"pipeline.window":      "一个阶段手里尚未确认的事件数上限",
	"pipeline.memory":      "一个进程的所有阶段同时处理的事件字节数；实际占用的内存约为其八倍；更大的单个事件总能单独通过",
	"pipeline.max_deliver": "事件进入死信之前允许失败的次数；它所依赖的服务中断不计在内",
	"pipeline.max_lag":     "已接收而等待流水线处理的记录数上限；超出后新的轮次得到 503 和 Retry-After；0 表示不设上限",
	"pipeline.ack_wait":    "多久没有动静，服务器就把事件交给另一个工作者",
	"pipeline.drain":       "停机时留给手头工作的时间",

	"read.mode":    "hybrid（混合），或 legacy（只做语义检索，没有预算）",
	"read.timeout": "一次查询的时限",

	"inject.render_mode":  "typed_v2 或 flat",
	"inject.token_budget": "一个记忆块的 token 数",
	"inject.constraints":  "一个记忆块里约束的上限",
	"inject.preferences":  "一个记忆块里偏好的上限",
	"inject.todos":        "一个记忆块里待办提示的上限",
	"inject.facts":        "一个记忆块里事实和情节的上限",
	"inject.total":        "一个记忆块里记忆的总上限",
	"inject.dedupe_ttl":   "一个会话最后一次生成记忆块之后，还记住其各块包含过什么的时间（用于带 dedupe: conversation 的查询）",

	"retrieval.enabled":    "设为 false 时，每个查询都得到空的记忆块",
	"retrieval.concurrent": "同时处理的查询数；超出时回答过载错误",

	"tools": "叠加在内置默认之上的工具策略，没有写明的部分保持不变；只能写在文件里",

	"jieba.cache": "存放解包词典的目录；为空则用当前用户的缓存目录",

	"log.level":  "debug、info、warn 或 error",
	"log.format": "text 或 json",

	"trace.url":           "接收追踪的 OTLP/HTTP 地址，如 http://127.0.0.1:4318；为空则不产生追踪",
	"trace.allow_private": "允许 trace.url 中 localhost 以外的名称解析到私有地址（例如容器网络）",
	"trace.ratio":         "由本进程开始的追踪的采样比例，0 到 1；由客户端开始的按客户端的决定",
}
