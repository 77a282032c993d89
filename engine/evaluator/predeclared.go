package evaluator

import "strings"

// ranges are the types that CUE itself defines as an int between two bounds.
var ranges = map[string]string{
	">=0":                        "uint",
	">=0 <=255":                  "uint8",
	">=-128 <=127":               "int8",
	">=0 <=65535":                "uint16",
	">=-32768 <=32767":           "int16",
	">=0 <=1114111":              "rune",
	">=0 <=4294967295":           "uint32",
	">=-2147483648 <=2147483647": "int32",
	">=0 <=18446744073709551615": "uint64",
	">=-9223372036854775808 <=9223372036854775807": "int64",
}

// predeclared returns the name of the type with exactly these parts, empty if there is none.
func predeclared(parts []Shape) string {
	if len(parts) < 2 || parts[0].Is != "kinds" || parts[0].Kinds != "int" {
		return ""
	}
	var bounds []string
	for _, part := range parts[1:] {
		if part.Is != "bound" {
			return ""
		}
		bounds = append(bounds, part.Op+string(part.Value))
	}
	return ranges[strings.Join(bounds, " ")]
}
