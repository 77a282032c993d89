package helm

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"qvs/render/limits"
	"qvs/render/problem"
)

// functions replace the template functions that depend on random values, the time or a cluster, or
// that make long texts.
type functions struct {
	random  *random
	now     time.Time
	notices []problem.Notice
	noticed map[string]bool
	// chance is true if a template called a function whose result can depend on the seed, the clock
	// or an address. Otherwise, each rendering gives the same result.
	chance bool
}

func newFunctions(chance Chance) *functions {
	return &functions{random: newRandom(chance.Seed), now: chance.time(), noticed: map[string]bool{}}
}

func (f *functions) overrides() template.FuncMap {
	all := template.FuncMap{
		"lookup":        f.lookup,
		"getHostByName": f.getHostByName,
	}
	for _, group := range []template.FuncMap{sorted, f.limited(), f.noting(f.withChance())} {
		maps.Copy(all, group)
	}
	all["printf"] = f.printf
	return all
}

// withChance returns the functions that can read the seed or a clock.
func (f *functions) withChance() template.FuncMap {
	all := template.FuncMap{"durationRound": originals["durationRound"]}
	for _, group := range []template.FuncMap{f.dates(), f.random.functions(), f.certificates()} {
		maps.Copy(all, group)
	}
	return all
}

// noting returns functions that note their calls in `chance`.
func (f *functions) noting(group template.FuncMap) template.FuncMap {
	noted := template.FuncMap{}
	for name, function := range group {
		original := reflect.ValueOf(function)
		call := original.Call
		if original.Type().IsVariadic() {
			call = original.CallSlice
		}
		noted[name] = reflect.MakeFunc(original.Type(), func(arguments []reflect.Value) []reflect.Value {
			f.chance = true
			return call(arguments)
		}).Interface()
	}
	return noted
}

// printf is the function of text/template.
func (f *functions) printf(format string, arguments ...any) string {
	f.chance = f.chance || canPrintAddress(format, arguments)
	return fmt.Sprintf(format, arguments...)
}

// verb matches a verb of a format with its flags.
var verb = regexp.MustCompile(`%[^%a-zA-Z]*[%a-zA-Z]`)

// canPrintAddress reports whether a format can print where a value is in memory. The data of
// templates has no pointers except in times, versions and `capabilities`, which print as text for
// these verbs.
func canPrintAddress(format string, arguments []any) bool {
	isText := func(verb string) bool {
		return strings.ContainsAny(verb[len(verb)-1:], "vsqT%") && !strings.Contains(verb, "#")
	}
	isScalar := func(argument any) bool {
		kind := reflect.ValueOf(argument).Kind()
		return kind <= reflect.Complex128 || kind == reflect.String
	}
	for _, each := range verb.FindAllString(format, -1) {
		if !isText(each) {
			return !all(arguments, isScalar)
		}
	}
	return false
}

func all[T any](items []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(items, func(item T) bool { return !holds(item) })
}

// sorted replaces the functions that return the entries of a map in the random order of Go. Two
// renderings would differ.
var sorted = template.FuncMap{
	"keys": func(all ...map[string]any) []string {
		keys := []string{}
		for _, each := range all {
			keys = append(keys, slices.Sorted(maps.Keys(each))...)
		}
		return keys
	},
	"values": func(each map[string]any) []any {
		values := []any{}
		for _, key := range slices.Sorted(maps.Keys(each)) {
			values = append(values, each[key])
		}
		return values
	},
}

func (f *functions) notice(notice problem.Notice) {
	key := fmt.Sprint(notice.Code, notice.Message, notice.At)
	if !f.noticed[key] {
		f.noticed[key] = true
		f.notices = append(f.notices, notice)
	}
}

// lookup finds nothing, as in `helm template`. markLookups adds the place of the call.
func (f *functions) lookup(arguments ...any) (map[string]any, error) {
	var at *problem.Place
	if len(arguments) > 0 {
		if place, ok := arguments[0].(string); ok && strings.HasPrefix(place, placePrefix) {
			at = placeOf(strings.TrimPrefix(place, placePrefix))
			arguments = arguments[1:]
		}
	}
	if len(arguments) != 4 {
		return nil, fmt.Errorf("wrong number of args for lookup: want 4 got %d", len(arguments))
	}
	f.notice(problem.Notice{
		Code:    "lookup",
		Message: fmt.Sprintf("lookup of %v %v %v/%v finds nothing", arguments[0], arguments[1], arguments[2], arguments[3]),
		At:      at,
	})
	return map[string]any{}, nil
}

func placeOf(text string) *problem.Place {
	colon := strings.LastIndex(text, ":")
	line, _ := strconv.Atoi(text[colon+1:])
	return &problem.Place{File: text[:colon], Line: line}
}

func (f *functions) getHostByName(name string) string {
	f.notice(problem.Notice{Code: "dns", Message: fmt.Sprintf("getHostByName of %q gives an empty string", name)})
	return ""
}

// limited returns the functions that make a list or text of a given length.
func (f *functions) limited() template.FuncMap {
	until := originals["until"].(func(int) []int)
	untilStep := originals["untilStep"].(func(int, int, int) []int)
	seq := originals["seq"].(func(...int) string)
	return template.FuncMap{
		"repeat": func(count int, text string) (string, error) {
			if count < 0 || count*len(text)/max(count, 1) != len(text) || count*len(text) > limits.Items {
				return "", limits.Exceeds("repeat", count)
			}
			return strings.Repeat(text, count), nil
		},
		"until": func(count int) ([]int, error) {
			if count > limits.Items || count < -limits.Items {
				return nil, limits.Exceeds("until", count)
			}
			return until(count), nil
		},
		"untilStep": func(start, stop, step int) ([]int, error) {
			if step != 0 && (stop-start)/step > limits.Items {
				return nil, limits.Exceeds("untilStep", (stop-start)/step)
			}
			return untilStep(start, stop, step), nil
		},
		"seq": func(numbers ...int) (string, error) {
			if count := seqLength(numbers); count > limits.Items {
				return "", limits.Exceeds("seq", count)
			}
			return seq(numbers...), nil
		},
	}
}

func seqLength(numbers []int) int {
	switch len(numbers) {
	case 1:
		return max(numbers[0], -numbers[0])
	case 2:
		return max(numbers[1]-numbers[0], numbers[0]-numbers[1])
	case 3:
		if numbers[1] == 0 {
			return 0
		}
		return (numbers[2] - numbers[0]) / numbers[1]
	}
	return 0
}

// dates returns the functions that read the clock or the time zones of the machine.
func (f *functions) dates() template.FuncMap {
	inZone := func(format string, date any, zone string) (string, error) {
		if zone != "" && zone != "UTC" && zone != "Local" {
			return "", problem.New(problem.Unsupported, "the time zone %s: only UTC is known", zone)
		}
		return f.toTime(date).Format(format), nil
	}
	return template.FuncMap{
		"now":            func() time.Time { return f.now },
		"ago":            func(date any) string { return f.now.Sub(f.toTime(date)).Round(time.Second).String() },
		"date":           func(format string, date any) (string, error) { return inZone(format, date, "UTC") },
		"dateInZone":     inZone,
		"date_in_zone":   inZone,
		"htmlDate":       func(date any) (string, error) { return inZone(time.DateOnly, date, "UTC") },
		"htmlDateInZone": func(date any, zone string) (string, error) { return inZone(time.DateOnly, date, zone) },
	}
}

// toTime converts the types that sprig accepts as a time; any other value means now.
func (f *functions) toTime(date any) time.Time {
	switch date := date.(type) {
	case time.Time:
		return date.UTC()
	case *time.Time:
		return date.UTC()
	case int64:
		return time.Unix(date, 0).UTC()
	case int:
		return time.Unix(int64(date), 0).UTC()
	case int32:
		return time.Unix(int64(date), 0).UTC()
	}
	return f.now
}
