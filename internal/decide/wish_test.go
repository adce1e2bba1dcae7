package decide

import (
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestConcerns(t *testing.T) {
	wish := schema.Envelope{At: at(9), Seq: 9}
	for _, tc := range []struct {
		said, thing string
		opts        []func(*schema.Memory)
		want        bool
	}{
		{"My storage unit is B-14.", "storage unit", nil, true},
		{"I rent two Storage Units in Leeds", "storage unit", nil, false}, // "two" may count others
		{"I pay 40 euros for my storage units.", "storage unit", nil, true},
		{"The unit has storage.", "storage unit", nil, false},
		{"My email address is a@b.test", "address", nil, false},
		{"My address is 5 Elm Street", "address", nil, true},
		{"I love categories", "cat", nil, false},
		{"我的储物间在B栋14号。", "储物间", nil, true},
		{"我的銀行卡號是6222。", "银行卡号", nil, true},
		{"我的车位在B2。", "储物间", nil, false},
		{"I have a cat.", "my cat", nil, true},
		{"My cat's name is Tom.", "my cat", nil, true},
		{"My cat likes fish.", "my cat", []func(*schema.Memory){of("user's cat")}, true},
		{"Our wedding date is 5 May.", "my wedding date", []func(*schema.Memory){of("our wedding date")}, true},
		{"My old phone number is 555.", "my phone number", nil, true},
		{"My storage unit costs 40 euros.", "my storage unit", []func(*schema.Memory){of("storage unit")}, true},
		{"I sold my car.", "my car", nil, true},
		{"We have a dog.", "my dog", []func(*schema.Memory){of("we")}, true},
		{"My ex lives in Rome.", "my ex", []func(*schema.Memory){of("user's ex")}, true},
		{"Project Falcon ships in May.", "Project Falcon", []func(*schema.Memory){of("Project Falcon")}, true},
		{"My sister's address is 5 Elm Street.", "my address", []func(*schema.Memory){of("user's sister")}, false},
		{"My sister's address is 5 Elm Street.", "address", []func(*schema.Memory){of("user's sister")}, false},
		{"I know my sister's address by heart.", "my address", nil, false},
		{"Ana has a cat.", "my cat", []func(*schema.Memory){of("Ana")}, false},
		{"I like her cat.", "my cat", nil, false},
		{"I'm allergic to cats.", "my cat", nil, false},
		{"My phone number is 555.", "my phone", nil, false},
		{"My car insurance is with Axa.", "my car", nil, false},
		{"My car insurance expires in May.", "my car", []func(*schema.Memory){of("car insurance")}, false},
		{"The server's address is 10.0.0.5.", "my address", []func(*schema.Memory){of("server")}, false},
		{"I was glad that he has a cat.", "my cat", nil, false},
		{"听说他有一只猫。", "我的猫", nil, false},
		{"我的地址是长安街1号。", "我的地址", nil, true},
		{"我家地址是北京路5号。", "我的地址", nil, true},
		{"我的旧地址是长安街1号。", "我的地址", nil, true},
		{"我的地址改成了长安街1号。", "我的地址", nil, true},
		{"我有一只猫。", "我的猫", nil, true},
		{"我的猫叫咪咪。", "我的猫", nil, true},
		{"我的手机号是138。", "我的手机号", nil, true},
		{"我的前女友住在上海。", "我的前女友", []func(*schema.Memory){of("user's ex-girlfriend")}, true},
		{"我的邮箱地址是a@b.com。", "我的地址", nil, false},
		{"我妈妈的地址是长安街2号。", "我的地址", []func(*schema.Memory){of("user's mother")}, false},
		{"我记得我妈妈的地址。", "我的地址", nil, false},
		{"服务器地址是10.0.0.5。", "我的地址", []func(*schema.Memory){of("we")}, false},
		{"服务器地址是10.0.0.5。", "地址", []func(*schema.Memory){of("we")}, false},
		{"小王有一只猫。", "我的猫", []func(*schema.Memory){of("小王")}, false},
		{"我的手机号是138。", "我的手机", nil, false},
		{"我的车险是平安的。", "我的车", nil, false},
		{"我喜欢猫。", "我的猫", nil, false},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){class(schema.ClassOperator)}, false},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){class(schema.ClassTool)}, true},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){func(m *schema.Memory) { m.Source.Seq = 10 }}, false},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){func(m *schema.Memory) { m.ObservedAt = at(10) }}, false},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){func(m *schema.Memory) { m.Status = schema.StatusSuperseded }}, true},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){func(m *schema.Memory) { *m = Shell(*m) }}, false},
	} {
		m := said("a", 1, "x", append([]func(*schema.Memory){func(m *schema.Memory) { m.Content = tc.said }}, tc.opts...)...)
		if got := Concerns(&m, tc.thing, &wish); got != tc.want {
			t.Errorf("%q, %q: %t", tc.said, tc.thing, got)
		}
	}
}

func of(subject string) func(*schema.Memory) {
	return func(m *schema.Memory) { m.Subject = subject }
}
