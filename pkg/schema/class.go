package schema

import "fmt"

// Class is who stands behind a text. Everything derived carries the least trusted class of its inputs.
type Class uint8

// Classes from the least to the most trusted; the zero value is not a class.
const (
	ClassTool      Class = iota + 1 // output of a tool, a page, a file
	ClassAssistant                  // what the agent said or inferred
	ClassUser                       // what the user said
	ClassOperator                   // what whoever runs the agent set
)

var classNames = [...]string{"", "tool", "assistant", "user", "operator"}

// String is the name on the wire.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// ParseClass is the inverse of String.
func ParseClass(s string) (Class, error) {
	for i := 1; i < len(classNames); i++ {
		if classNames[i] == s {
			return Class(i), nil
		}
	}
	return 0, Invalid("class", "%q is not one of tool, assistant, user, operator", s)
}

func isClass(s string) bool {
	_, err := ParseClass(s)
	return err == nil
}

// MarshalText implements encoding.TextMarshaler. The zero value is the empty string; what is no class is an error.
func (c Class) MarshalText() ([]byte, error) {
	if int(c) >= len(classNames) {
		return nil, Permanent(CodeInternal, nil, "%s is not a class", c)
	}
	return []byte(c.String()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler, the inverse of MarshalText.
func (c *Class) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*c = 0
		return nil
	}
	v, err := ParseClass(string(b))
	*c = v
	return err
}

// Least is the least trusted of the classes given; it returns 0 for none.
func Least(cs ...Class) Class {
	var m Class
	for _, c := range cs {
		if m == 0 || c != 0 && c < m {
			m = c
		}
	}
	return m
}
