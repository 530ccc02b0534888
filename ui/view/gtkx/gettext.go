package gtkx

// #include <libintl.h>
// #include <locale.h>
// #include <stdlib.h>
import "C"

import (
	"unsafe"

	"github.com/diamondburned/gotk4/pkg/glib/v2"
)

// Translations is the catalogue of the C library, the one that GTK itself uses.
type Translations struct{}

// LoadTranslations makes texts come from the catalogues below dir, a folder such
// as /usr/share/locale.
func LoadTranslations(dir string) Translations {
	domain, path, utf8, empty := C.CString(Domain), C.CString(dir), C.CString("UTF-8"), C.CString("")
	defer func() {
		for _, s := range []*C.char{domain, path, utf8, empty} {
			C.free(unsafe.Pointer(s))
		}
	}()
	C.setlocale(C.LC_ALL, empty)
	C.bindtextdomain(domain, path)
	C.bind_textdomain_codeset(domain, utf8)
	C.textdomain(domain)
	return Translations{}
}

// Get returns the translation of id.
func (Translations) Get(context, id string) string {
	if context == "" {
		return glib.Dgettext(Domain, id)
	}
	return glib.Dpgettext2(Domain, context, id)
}

// Plural returns the form for n things.
func (Translations) Plural(one, many string, n int) string {
	return glib.Dngettext(Domain, one, many, uint32(max(0, n)))
}
