package text

// Lang is "zh" or "en": zh where there are at least as many Chinese characters as words of other scripts, since a
// Chinese word has about two. So product names in a Chinese sentence do not make it English, nor one Chinese name
// an English sentence Chinese. Text without letters is "en".
func Lang(text string) string {
	han, words, inside := 0, 0, false
	for _, r := range text {
		switch {
		case isHan(r):
			han++
			inside = false
		case isWordRune(r) && !(r >= '0' && r <= '9'):
			if !inside {
				words++
			}
			inside = true
		default:
			inside = inside && r == '\''
		}
	}
	if han > 0 && han >= words {
		return "zh"
	}
	return "en"
}
