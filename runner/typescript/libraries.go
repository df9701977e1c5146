package shim

import (
	"path"
	"strings"
)

// libraries lists the declarations of the engine's globals: ES2024 and the additions of
// QuickJS-NG, without shared memory. asInEngine replaces the declarations of Intl in some of
// them.
var libraries = []string{
	"lib.es5.d.ts",
	"lib.es2015.core.d.ts", "lib.es2015.collection.d.ts", "lib.es2015.iterable.d.ts", "lib.es2015.generator.d.ts",
	"lib.es2015.promise.d.ts", "lib.es2015.proxy.d.ts", "lib.es2015.reflect.d.ts", "lib.es2015.symbol.d.ts",
	"lib.es2015.symbol.wellknown.d.ts",
	"lib.es2016.array.include.d.ts",
	"lib.es2017.arraybuffer.d.ts", "lib.es2017.date.d.ts", "lib.es2017.object.d.ts", "lib.es2017.string.d.ts",
	"lib.es2017.typedarrays.d.ts",
	"lib.es2018.asynciterable.d.ts", "lib.es2018.asyncgenerator.d.ts", "lib.es2018.promise.d.ts", "lib.es2018.regexp.d.ts",
	"lib.es2019.array.d.ts", "lib.es2019.object.d.ts", "lib.es2019.string.d.ts", "lib.es2019.symbol.d.ts",
	"lib.es2020.bigint.d.ts", "lib.es2020.number.d.ts", "lib.es2020.promise.d.ts", "lib.es2020.string.d.ts",
	"lib.es2020.symbol.wellknown.d.ts",
	"lib.es2021.promise.d.ts", "lib.es2021.string.d.ts", "lib.es2021.weakref.d.ts",
	"lib.es2022.array.d.ts", "lib.es2022.error.d.ts", "lib.es2022.object.d.ts", "lib.es2022.regexp.d.ts", "lib.es2022.string.d.ts",
	"lib.es2023.array.d.ts", "lib.es2023.collection.d.ts",
	"lib.es2024.arraybuffer.d.ts", "lib.es2024.collection.d.ts", "lib.es2024.object.d.ts", "lib.es2024.promise.d.ts",
	"lib.es2024.regexp.d.ts", "lib.es2024.string.d.ts",
	"lib.es2025.collection.d.ts", "lib.es2025.float16.d.ts", "lib.es2025.iterator.d.ts", "lib.es2025.promise.d.ts",
	"lib.es2025.regexp.d.ts",
	"lib.esnext.array.d.ts", "lib.esnext.collection.d.ts", "lib.esnext.disposable.d.ts", "lib.esnext.error.d.ts",
	"lib.esnext.typedarrays.d.ts",
}

// absent lists the declarations of lib.es5.d.ts that the sandbox does not have, because code from
// strings is disabled. Types such as FunctionConstructor stay: other declarations use them.
var absent = []string{
	"declare function eval(x: string): any;",
	"declare var Function: FunctionConstructor;",
}

// The library declares its own options for bigints, with more members than the engine has.
const (
	bigOptions = "options?: BigIntToLocaleStringOptions"
	ownOptions = "options?: Intl.NumberFormatOptions   "
)

// asInEngine returns the text of a library without the declarations that the engine does not have.
// Spaces replace the removed text, so that the positions of the remaining text do not change.
func asInEngine(file, text string) string {
	name := path.Base(file)
	switch {
	case !strings.HasPrefix(name, "lib."):
		return text
	case strings.HasSuffix(name, ".intl.d.ts"):
		return ""
	}
	text = strings.Replace(withoutIntl(text), bigOptions, ownOptions, 1)
	if name != "lib.es5.d.ts" {
		return text
	}
	for _, declaration := range absent {
		text = strings.Replace(text, declaration, strings.Repeat(" ", len(declaration)), 1)
	}
	return text + intl
}

// withoutIntl replaces the declarations of the namespace Intl by spaces.
func withoutIntl(text string) string {
	for {
		start := strings.Index(text, "declare namespace Intl {")
		if start < 0 {
			return text
		}
		length := strings.Index(text[start:], "\n}")
		if length < 0 {
			return text
		}
		length += len("\n}")
		text = text[:start] + strings.Repeat(" ", length) + text[start+length:]
	}
}
