package text

import (
	"strings"
	"unicode/utf8"
)

// pathByte reports whether c may be inside a path.
func pathByte(c byte) bool { return isAlnum(c) || strings.IndexByte("._-~+@%=$*/", c) >= 0 }

// matchPath is the length of the path or file name at i, 0 for none.
func (sc *scanner) matchPath(i int, ch string) int {
	s, c := sc.s, ch[0]
	switch {
	case len(ch) >= 3 && isLetter(c) && ch[1] == ':' && (ch[2] == '\\' || ch[2] == '/' && byteAt(ch, 3) != '/'), strings.HasPrefix(ch, `\\`) && len(ch) > 3 && isAlnum(ch[2]):
		k := 2
		for k < len(ch) && (pathByte(ch[k]) || ch[k] == '\\' || ch[k] == '(' || ch[k] == ')') {
			k++
		}
		if n := trimSpan(ch[:k]); n > 3 {
			return sc.extendHan(i, n)
		}
		return 0
	case c == '/' || strings.HasPrefix(ch, "./") || strings.HasPrefix(ch, "../") || strings.HasPrefix(ch, "~/"):
		if i > 0 && (s[i-1] == '<' || isAlnum(s[i-1]) || s[i-1] == '/' || s[i-1] == '.') {
			return 0
		}
		k := 0
		for k < len(ch) && pathByte(ch[k]) {
			k++
		}
		n := trimSpan(ch[:k])
		n = sc.extendHan(i, n)
		if n < 2 || strings.Contains(s[i:i+n], "//") || strings.Trim(s[i:i+n], "/.*~") == "" {
			return 0
		}
		return n
	case c == '.':
		for _, d := range dotFiles {
			if strings.HasPrefix(ch, d) && !isAlnum(byteAt(ch, len(d))) && (i == 0 || !isAlnum(s[i-1])) {
				return len(d)
			}
		}
		return 0
	case isAlnum(c) || c == '_':
		if i < sc.noPath {
			return 0
		}
		k := 0
		for k < len(ch) && k < 512 && pathByte(ch[k]) {
			k++
		}
		n := trimSpan(ch[:k])
		if relativePath(ch[:n]) || fileName(ch[:n]) {
			return n
		}
		if sc.flags&hasSlash != 0 { // "a.py/b.py" is no path, but a.py is a file
			if k := strings.IndexAny(ch[:n], "/=@+"); k > 0 && fileName(ch[:k]) {
				return k
			}
		}
		if k := strings.IndexAny(ch[:n], "/=@+%$*~"); k > 0 && n <= 128 { // of a longer run none is looked for inside
			n = k
		}
		sc.noPath = i + n
	}
	return 0
}

// extendHan lets a path run on through Chinese names, where a slash or an extension follows them.
func (sc *scanner) extendHan(i, n int) int {
	s := sc.s
	for n > 0 && i+n < len(s) {
		last := s[i+n-1]
		if last != '/' && last != '\\' && last != '_' && last != '-' {
			return n
		}
		k := i + n
		for runes := 0; k < len(s) && runes < 40; runes++ {
			r, size := utf8.DecodeRuneInString(s[k:])
			if !isHan(r) && !isAlnum(s[k]) && r != '_' && r != '-' {
				break
			}
			k += size
		}
		if k == i+n || k >= len(s) {
			return n
		}
		if s[k] == '/' || s[k] == '\\' {
			n = k + 1 - i
			continue
		}
		if s[k] == '.' {
			e := k + 1
			for e < len(s) && e-k < 10 && isAlnum(s[e]) {
				e++
			}
			if knownExt(s[k+1 : e]) {
				return e - i
			}
		}
		return n
	}
	return n
}

// relativePath reports whether p, which has no leading slash, is a path rather than words with slashes.
func relativePath(p string) bool {
	slashes := strings.Count(p, "/")
	if slashes == 0 || strings.Contains(p, "//") || strings.Contains(p, "=") {
		return false
	}
	letters, marked := false, false
	for comp := range strings.SplitSeq(strings.TrimSuffix(p, "/"), "/") {
		if comp == "" {
			return false
		}
		for j := 0; j < len(comp); j++ {
			switch c := comp[j]; {
			case isLetter(c):
				letters = true
			case c == '_' || c == '-' && j > 0 || isDigit(c) || c == '.' || c == '*':
				marked = true
			}
		}
	}
	last := p[strings.LastIndexByte(p, '/')+1:]
	return letters && (fileName(last) || slashes >= 2 && marked || slashes >= 3 || slashes == 1 && last == "" && len(p) > 3)
}

// fileName reports whether f is a name with a known extension.
func fileName(f string) bool {
	dot := strings.LastIndexByte(f, '.')
	if dot < 1 || strings.ContainsAny(f, "/=@%$*") || !knownExt(f[dot+1:]) {
		return false
	}
	if strings.EqualFold(f[dot:], ".js") && strings.Contains(jsNames, " "+strings.ToLower(f[:dot])+" ") {
		return false
	}
	for i := range dot {
		if isLetter(f[i]) || isDigit(f[i]) {
			return true
		}
	}
	return false
}

const jsNames = " node next vue react express d3 three nuxt nest angular chart "

var dotFiles = []string{".gitignore", ".github", ".gitlab", ".git", ".env", ".bashrc", ".bash_profile", ".zshrc", ".vimrc", ".profile", ".ssh", ".config", ".dockerignore", ".npmrc", ".vscode", ".cache", ".editorconfig"}

const exts = " py go js ts tsx jsx mjs java c h cpp hpp cc rs rb php sh bash zsh ps1 bat cmd sql json jsonl ndjson yaml yml toml ini cfg conf env xml html htm css scss less md mdx rst txt csv tsv log pdf doc docx xls xlsx ppt pptx odt rtf epub png jpg jpeg gif svg webp bmp ico tif tiff heic mp3 mp4 wav flac ogg avi mov mkv webm srt zip tar gz tgz bz2 xz zst 7z rar exe msi dll so dylib jar war whl deb rpm apk iso img bin dat db sqlite lock mod sum proto ipynb vue svelte kt swift scala lua pl tf tfvars pem key crt cer p12 bak tmp swp pb onnx pt safetensors gguf parquet avro npy npz pkl h5 psd fig drawio service timer patch diff utf8 tmpl tpl gradle cmake mk "

func knownExt(x string) bool {
	return x != "" && len(x) <= 12 && strings.Contains(exts, " "+strings.ToLower(x)+" ")
}
