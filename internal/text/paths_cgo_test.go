//go:build cgo

package text

import "github.com/yanyiwu/gojieba"

func clobberPaths() {
	for _, p := range []*string{&gojieba.DICT_DIR, &gojieba.DICT_PATH, &gojieba.HMM_PATH, &gojieba.USER_DICT_PATH, &gojieba.IDF_PATH, &gojieba.STOP_WORDS_PATH} {
		*p = "/nowhere/at/all"
	}
}
