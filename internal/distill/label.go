package distill

import (
	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// labels name what a predicate tells, in the words of both languages with which people ask for it: "I moved to Munich"
// holds none of those of "Where do I live?".
var labels = map[string]string{
	pName.name:     "名字 叫 name called",
	pLivesIn.name:  "居住地 住 住在 live home residence",
	pHometown.name: "老家 家乡 hometown from",
	pWorksAt.name:  "工作单位 公司 上班 工作 work employer company job",
	pJob.name:      "职业 职位 工作 job profession occupation work",
	pBirthday.name: "生日 出生 birthday born",
	pAge.name:      "年龄 几岁 age old",
	pMarital.name:  "婚姻 结婚 married marital",
	pAllergic.name: "过敏 allergy allergic",
	pHealth.name:   "健康 身体 health",
	pDiet.name:     "饮食 吃 diet eat",
	pStudies.name:  "学校 专业 学习 study school",
	pSpeaks.name:   "语言 会说 speak language",
	pManager.name:  "领导 上级 老板 manager boss report",
	pPort.name:     "端口 port",
	pVersion.name:  "版本 version",
	pPath.name:     "路径 目录 path",
	pHost.name:     "部署 运行 服务器 host server run",
	pOwner.name:    "负责人 owner responsible",
	pDeadline.name: "截止 期限 deadline due",
	pPlan.name:     "待办 计划 todo plan",
	pReminder.name: "待办 提醒 todo reminder",
	"phone number": "手机号 电话 号码 phone number",
	"email":        "邮箱 邮件 email address",
	"address":      "地址 住址 address",
	"wechat":       "微信 wechat",
}

// SearchText is what m is found by: its content, and the name of what it tells.
func SearchText(m *schema.Memory) string {
	l := labels[m.Predicate]
	if m.Predicate == pAttr.name {
		l = labels[attrOfContent(m)]
	}
	if l == "" {
		return m.Content
	}
	return m.Content + "\n" + l
}

// attrOfContent is the attribute that m's slot tells, of those that have a label.
func attrOfContent(m *schema.Memory) string {
	owner := schema.Owner(m.Tenant, m.User)
	for _, a := range [...]string{"phone number", "email", "address", "wechat"} {
		if m.Slot == schema.SlotKey(owner, text.Fold(m.Subject), pAttr.name, a) {
			return a
		}
	}
	return ""
}
