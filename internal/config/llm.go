package config

import "time"

// validateLLM looks at the language model only where there is one, but for bounds, which are wrong in any case.
func (c *Config) validateLLM(bad func(key, format string, args ...any)) {
	l := &c.LLM
	for key, n := range map[string]int{"llm.parallel": l.Parallel, "llm.max_output": l.MaxOutput, "llm.keep": l.Keep} {
		if n < 1 {
			bad(key, "is %d, must be at least 1", n)
		}
	}
	if l.Parallel > maxPlaces {
		bad("llm.parallel", "is %d, must be at most %d", l.Parallel, maxPlaces)
	}
	if l.MaxInput < 200 || l.MaxInput > maxLLMInput {
		bad("llm.max_input", "is %d, must lie between 200 and %d", l.MaxInput, maxLLMInput)
	}
	if l.Timeout < time.Second || l.Timeout > maxLLMTimeout {
		bad("llm.timeout", "is %s, must lie between 1s and %s", l.Timeout, maxLLMTimeout)
	}
	for key, n := range map[string]int64{"llm.day_calls": int64(l.DayCalls), "llm.day_tokens": int64(l.DayTokens), "llm.day_time": int64(l.DayTime)} {
		if n < 0 {
			bad(key, "must not be negative; 0 is no bound")
		}
	}
	switch {
	case l.URL != "" && l.Model == "":
		bad("llm.model", "is required with llm.url")
	case l.Key != "" && l.KeyFile != "":
		bad("llm.key_file", "llm.key is set as well: give one of the two")
	}
}

// Bounds of what a language model is asked.
const (
	maxLLMInput   = 1 << 20
	maxLLMTimeout = 15 * time.Minute
)
