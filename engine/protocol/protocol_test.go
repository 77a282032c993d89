package protocol_test

import (
	"encoding/json"
	"strings"
	"testing"

	"qvs/engine/protocol"
	"qvs/host/source"
)

// script executes requests in order and returns the last answer.
func script(t *testing.T, cue string, requests ...string) string {
	t.Helper()
	engine := protocol.New(source.Memory{{
		"cue.mod/module.cue": "module: \"a.example/m\"\n",
		"x/x.cue":            "package x\n" + cue,
	}})
	answer := ""
	for _, request := range append([]string{`{"op":"open","roots":[{"display":""}]}`}, requests...) {
		answer = string(engine.Call([]byte(request)))
	}
	return answer
}

const loadX = `{"op":"load","import":"a.example/m/x"}`

func TestCall(t *testing.T) {
	tests := []struct {
		name     string
		cue      string
		requests []string
		want     string
	}{
		{"ints stay ints and defaults are taken", "a: 1\nb: 1.50\nc: *3 | int\n_h: string\n#D: string\no?: string",
			[]string{loadX, `{"op":"export","value":1}`}, `{"result":{"a":1,"b":1.50,"c":3}}`},
		{"values from JSON keep their type and size", "",
			[]string{`{"op":"struct","fields":[{"name":"#a","value":{"_b":[-1,2.5,1152921504606846976,"x\"\\(y)",null,true,1e3]},"where":{"file":"q","line":1,"column":1}}]}`, `{"op":"export","value":1}`},
			`{"result":{"#a":{"_b":[-1,2.5,1152921504606846976,"x\"\\(y)",null,true,1E+3]}}}`},
		{"numbers that would lose digits are reported", "a: [{b: 9007199254740993}, 9007199254740992, \"9007199254740993\", 1e400]",
			[]string{loadX, `{"op":"export","value":1}`},
			`{"result":null,"problems":[{"message":"the number 9007199254740993 would change: only integers up to 2^53 keep all digits","path":["a","0","b"],"positions":[{"file":"x/x.cue","line":2,"column":6}]},` +
				`{"message":"the number 1e400 would change: only integers up to 2^53 keep all digits","path":["a","3"],"positions":[{"file":"x/x.cue","line":2,"column":66}]}]}`},
		{"a condition that cannot be decided is a fault of the struct around it", "a: {b?: bool, if b {c: 1}, e: string}",
			[]string{loadX, `{"op":"lookup","value":1,"path":["a"]}`, `{"op":"fault","value":2}`},
			`{"result":{"own":[{"message":"cannot reference optional field: b","path":["a"],"positions":[{"file":"x/x.cue","line":2,"column":18}]}],"parts":[]}}`},
		{"a conflict names the line of the config first", "a: string",
			[]string{loadX, `{"op":"struct","fields":[{"name":"a","value":1,"where":{"file":"q.yaml","line":7,"column":5}}]}`, `{"op":"fill","value":1,"path":[],"other":2}`, `{"op":"validate","value":3}`},
			`{"problems":[{"message":"conflicting values string and 1 (mismatched types string and int)","path":["a"],"positions":[{"file":"q.yaml","line":7,"column":5},{"file":"x/x.cue","line":2,"column":4}]}]}`},
		{"a conflict deep in a value names the line of that part", "a: b: [{c: string}]",
			[]string{loadX, `{"op":"struct","fields":[{"name":"a","value":{"b":[{"c":1}]},"where":{"file":"q.yaml","line":7,"column":5},"places":[{"path":["b","0","c"],"where":{"file":"q.yaml","line":9,"column":3}}]}]}`, `{"op":"fill","value":1,"path":[],"other":2}`, `{"op":"validate","value":3}`},
			`{"problems":[{"message":"conflicting values string and 1 (mismatched types string and int)","path":["a","b","0","c"],"positions":[{"file":"q.yaml","line":9,"column":3},{"file":"x/x.cue","line":2,"column":12}]}]}`},
		{"an unknown name has the names of its file", "import \"strings\"\nlet l = 1\na: b: strings.ToLower(\"x\")\nc: l\nd: a.bb",
			[]string{loadX, `{"op":"validate","value":1,"concrete":true}`},
			`{"problems":[{"message":"undefined field: bb","path":["d"],"positions":[{"file":"x/x.cue","line":6,"column":6}],"known":["a","b","c","d","l","strings"]}]}`},
		{"definitions and hidden fields can be incomplete", "_h: y + \"x\"\n#D: x: string\ny: string\na: 1",
			[]string{loadX, `{"op":"lookup","value":1,"path":["a"]}`, `{"op":"export","value":2}`}, `{"result":1}`},
		{"a field that does not exist", "a: 1", []string{loadX, `{"op":"lookup","value":1,"path":["b"]}`}, `{"result":0}`},
		{"fields", "// The name.\na: string | *\"n\"\nb?: int | string\nc: int\n#D: 1\n_h: 2",
			[]string{loadX, `{"op":"fields","value":1}`},
			`{"result":[{"name":"a","value":2,"optional":false,"kind":"string","doc":"The name.\n","position":{"file":"x/x.cue","line":3,"column":1}},` +
				`{"name":"b","value":3,"optional":true,"kind":"(int|string)","position":{"file":"x/x.cue","line":4,"column":1}},` +
				`{"name":"c","value":4,"optional":false,"kind":"int","position":{"file":"x/x.cue","line":5,"column":1}}]}`},
		{"lists that only the evaluator recognises", "#p: {q: _, r: q + q + [1, 2][1:]}\na: (#p & {q: [1]}).r",
			[]string{loadX, `{"op":"export","value":1}`}, `{"result":{"a":[1,1,2]}}`},
		{"a field that was listed before its syntax had to be rewritten", "#p: {q: _, r: q + q + [1, 2][1:]}\na: (#p & {q: [1]}).r",
			[]string{loadX, `{"op":"fields","value":1}`, `{"op":"export","value":2}`}, `{"result":[1,1,2]}`},
		{"parameters with type, presence, comment and position", "DesignPattern: {\nparameters: {\n// The name.\na: string\nb: int | *1\nc: string | *a\nif b > 1 {d: string}\n}\npipelines: {}\n}",
			[]string{loadX, `{"op":"lookup","value":1,"path":["DesignPattern"]}`, `{"op":"describe","import":"a.example/m/x","value":2}`},
			`{"result":{"name":"","description":"","group":"","doc":"","position":{"file":"x/x.cue","line":2,"column":1},"parameters":{"is":"struct","kinds":"struct","fields":[` +
				`{"name":"a","shape":{"is":"kinds","kinds":"string"},"presence":"required","doc":"The name.\n","position":{"file":"x/x.cue","line":5,"column":1}},` +
				`{"name":"b","shape":{"is":"kinds","kinds":"int"},"presence":"default","default":1,"position":{"file":"x/x.cue","line":6,"column":1}},` +
				`{"name":"c","shape":{"is":"kinds","kinds":"string"},"presence":"computed","computed":"a","position":{"file":"x/x.cue","line":7,"column":1}}]},` +
				`"conditions":[{"text":"if b \u003e 1 {d: string}","position":{"file":"x/x.cue","line":8,"column":1}}],"composites":[],"pipelines":true}}`},
		{"adapters are packages with the word DesignPattern, outside of cue.mod and hidden directories", "DesignPattern: {}",
			[]string{`{"op":"adapters","folders":[[".","x","cue.mod","_hidden","none"]]}`},
			`{"result":[{"root":0,"module":"a.example/m","adapters":[{"pattern":"a.example/m/x","folder":"x"}]}]}`},
		{"no files before the first package", "", []string{`{"op":"files"}`}, `{"result":[]}`},
		{"a fault is an answer", "", []string{`{"op":"export","value":5}`}, `{"fault":"runtime error: index out of range [4] with length 0"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := script(t, test.cue, test.requests...)
			if got != strings.ReplaceAll(test.want, "\n", `\n`) {
				t.Errorf("got:  %s\nwant: %s", got, test.want)
			}
		})
	}
}

func TestValuesAreComputedAgainAfterOldListsWereFound(t *testing.T) {
	cue := "p: _\nq: _\nsum: p + q\nkeep: \"k\""
	give := `{"op":"struct","fields":[{"name":"p","value":[1],"where":{"file":"q","line":1,"column":1}},{"name":"q","value":[2],"where":{"file":"q","line":1,"column":1}}]}`
	got := script(t, cue, loadX, `{"op":"lookup","value":1,"path":["keep"]}`, give,
		`{"op":"fill","value":1,"path":[],"other":3}`, `{"op":"export","value":4}`)
	if want := `{"result":{"p":[1],"q":[2],"sum":[1,2],"keep":"k"}}`; !sameJSON(t, got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOldListsOfAnEvaluationDoNotAffectTheNext(t *testing.T) {
	cue := "p: _\nq: _\nsum: p + q"
	give := func(p, q string) string {
		return `{"op":"struct","fields":[{"name":"p","value":` + p + `,"where":{"file":"q","line":1,"column":1}},{"name":"q","value":` + q + `,"where":{"file":"q","line":1,"column":1}}]}`
	}
	fill, export := `{"op":"fill","value":1,"path":[],"other":2}`, `{"op":"export","value":3}`
	lists := []string{loadX, give("[1]", "[2]"), fill, export}
	numbers := []string{`{"op":"begin"}`, loadX, give("1", "2"), fill, export}
	if got, want := script(t, cue, append(lists, numbers...)...), `{"result":{"p":1,"q":2,"sum":3}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	return normal(t, a) == normal(t, b)
}

func normal(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	sorted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(sorted)
}

func TestErrorsOfDecodersOfEmbeddedFilesAreKept(t *testing.T) {
	engine := protocol.New(source.Memory{{
		"cue.mod/module.cue": "module: \"a.example/m\"\n",
		"x/x.cue":            "@extern(embed)\npackage x\na: _ @embed(file=d/a.json)",
		"x/d/a.json":         "{\n  \"a\": ]\n}",
	}})
	engine.Call([]byte(`{"op":"open","roots":[{"display":"m/"}]}`))
	got := string(engine.Call([]byte(loadX)))
	want := `{"result":0,"problems":[{"message":"@embed: invalid JSON for file \"d/a.json\": invalid character ']' looking for beginning of value","path":[],` +
		`"positions":[{"file":"m/x/d/a.json","line":2,"column":8},{"file":"m/x/x.cue","line":3,"column":6}]}]}`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
