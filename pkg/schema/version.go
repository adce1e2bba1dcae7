package schema

import "encoding/json"

// upgrades turns a stored body of version i into one of version i+1. A breaking change of a stored type bumps
// [Version] and adds a row; golden samples of every version are decoded in tests.
var upgrades = [Version]func(op Op, body []byte) ([]byte, error){}

// DecodeStored reads a body of the log or the pipeline tolerantly: fields that this build does not know are
// passed over, older versions are upgraded step by step. A newer version is a permanent unsupported error: an
// older build must not guess. It does not validate: what was accepted once stays readable.
func DecodeStored[T any](op Op, version int, body []byte) (T, error) {
	return decodeStored[T](op, version, body, upgrades[:])
}

// CheckVersion refuses a stored event of a version that this build does not know, by a permanent unsupported error.
func CheckVersion(version int) error { return checkVersion(version, Version) }

func checkVersion(version, known int) error {
	if version < 1 || version > known {
		return Permanent(CodeUnsupported, nil, "schema version %d is not known to this build, which writes version %d", version, known)
	}
	return nil
}

// decodeStored decodes a body of a build that writes version len(steps); see upgrade.
func decodeStored[T any](op Op, version int, body []byte, steps []func(Op, []byte) ([]byte, error)) (T, error) {
	var v T
	if err := checkVersion(version, len(steps)); err != nil {
		return v, err
	}
	body, err := upgrade(op, version, body, steps)
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return v, Permanent(CodeInvalid, nil, "a stored %s is not the JSON expected", op)
	}
	return v, nil
}

// upgrade takes body from version to that of the last step, which is len(steps); steps[i] leads from i to i+1, and
// steps[0] is not used.
func upgrade(op Op, version int, body []byte, steps []func(Op, []byte) ([]byte, error)) ([]byte, error) {
	for i := version; i < len(steps); i++ {
		b, err := steps[i](op, body)
		if err != nil {
			return nil, Permanent(CodeInvalid, err, "upgrade a stored %s of version %d", op, i)
		}
		body = b
	}
	return body, nil
}

// DecodeTurn is DecodeStored for turns.
func DecodeTurn(version int, body []byte) (*Turn, error) {
	t, err := DecodeStored[Turn](OpTurn, version, body)
	if err != nil {
		return nil, err
	}
	return &t, nil
}
