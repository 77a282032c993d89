package kustomize

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"

	"qvs/render/problem"
)

// Base is a remote base that a kustomization names and the request lacks.
type Base struct {
	// Address is the entry as the kustomization writes it.
	Address string `json:"address"`
	// Repository, Revision and Path are the parts of the address as Kustomize understands it.
	Repository string `json:"repository"`
	// Revision is empty for the newest commit of the default branch.
	Revision string `json:"revision"`
	// Path is a directory of the repository; empty for its root.
	Path string `json:"path"`
	// From is the root of the kustomization that names the base, and File its path there.
	From int    `json:"from"`
	File string `json:"file"`
}

// maxAddress is the maximum length of an address in bytes.
const maxAddress = 2000

// bases connects the entries of kustomizations to the trees of their repositories. Kustomize clones
// a repository when an entry is an address, so it must never see one: each address becomes the path
// of a directory. Kustomize checks that a clone reads nothing outside. It sees no clone here, so
// the names of the roots contain a random text: only `link` can write a path to another root.
type bases struct {
	mark string
	// addresses are the bases of the request. The files of the first one are root 1.
	addresses []string
	missing   []Base
	isMissing map[string]bool
	// rejected is the first entry that must not be read.
	rejected *problem.Problem
	// linked are the entries by the paths that replace them.
	linked map[string]string
	// aliases are the directories whose paths Kustomize would reject, by the paths that replace
	// them.
	aliases map[place]string
	// start is the directory of the request. Only its kustomization decides about metadata.
	start string
	// annotatesOrigins and annotatesTransformers are set if the result contains paths of files.
	annotatesOrigins, annotatesTransformers bool
	// findsOrigins adds annotations with the origin of each object.
	findsOrigins bool
	isChanged    bool
	objects      *resmap.Factory
}

// place is a file of a root.
type place struct {
	root int
	path string
}

func newBases(request Request) *bases {
	return &bases{
		mark:      request.Mark,
		addresses: request.Bases,
		isMissing: map[string]bool{},
		linked:    map[string]string{},
		aliases:   map[place]string{},
		start:     path.Clean(request.Directory),

		findsOrigins: request.Origins,
		objects:      resmap.NewFactory(provider.NewDefaultDepProvider().GetResourceFactory()),
	}
}

// absolute returns the path of a file of a root for Kustomize.
func (b *bases) absolute(root int, name string) string {
	return path.Join("/", b.mark+"-"+strconv.Itoa(root), name)
}

// locate returns the file at a clean path of Kustomize. It returns false for a path outside of all
// roots.
func (b *bases) locate(clean string) (place, bool) {
	name, below, _ := strings.Cut(clean[1:], "/")
	number, isMarked := strings.CutPrefix(name, b.mark+"-")
	root, err := strconv.Atoi(number)
	if !isMarked || err != nil || strconv.Itoa(root) != number {
		return place{}, false
	}
	if root < 0 || root > len(b.addresses) {
		return place{}, false
	}
	below = path.Clean(below)
	for directory := below; directory != "."; directory = path.Dir(directory) {
		if known, ok := b.aliases[place{root, directory}]; ok {
			return place{root, path.Join(known, strings.TrimPrefix(below, directory))}, true
		}
	}
	return place{root, below}, true
}

// link replaces the addresses in a kustomization. It decodes and encodes the file with Kustomize's
// own type, so the names of fields and all forms of YAML are those of Kustomize. A file without
// addresses stays as it is.
func (b *bases) link(at place, text []byte) []byte {
	var k types.Kustomization
	if k.Unmarshal(text) != nil {
		return text
	}
	isChanged := false
	if at.root == 0 && path.Dir(at.path) == b.start {
		isChanged = b.readMetadata(&k)
	}
	replace := func(entries []string, canBeObjects bool) {
		for i, entry := range entries {
			if canBeObjects && b.isObjects(entry) {
				continue
			}
			if linked, ok := b.linkEntry(at, entry); ok {
				entries[i] = linked
				isChanged, b.isChanged = true, true
			}
		}
	}
	for _, entries := range [][]string{k.Resources, k.Bases, k.Components} {
		replace(entries, false)
	}
	for _, entries := range [][]string{k.Generators, k.Transformers, k.Validators} {
		replace(entries, true)
	}
	if !isChanged {
		return text
	}
	linked, err := json.Marshal(k)
	if err != nil {
		b.reject(problem.Invalid, "%s can't be encoded: %s", at.path, err)
		return nil
	}
	return linked
}

// readMetadata reads the metadata that the kustomization of the request asks for. It returns true
// if it adds the origin.
func (b *bases) readMetadata(k *types.Kustomization) bool {
	b.annotatesOrigins = slices.Contains(k.BuildMetadata, types.OriginAnnotations)
	b.annotatesTransformers = slices.Contains(k.BuildMetadata, types.TransformerAnnotations)
	if !b.findsOrigins || b.annotatesOrigins {
		return false
	}
	k.BuildMetadata = append(k.BuildMetadata, types.OriginAnnotations)
	return true
}

// isObjects reports whether Kustomize takes an entry for the text of objects. It takes any other
// one for a path, also text in YAML.
func (b *bases) isObjects(entry string) bool {
	_, err := b.objects.NewResMapFromBytes([]byte(entry))
	return err == nil
}

// linkEntry returns the path that replaces an address. It returns false for any other entry.
func (b *bases) linkEntry(at place, entry string) (string, bool) {
	found, ok := parseAddress(entry)
	if !ok {
		b.checkInside(at, entry)
		return "", false
	}
	// No root has this number, so Kustomize finds nothing there.
	index := len(b.addresses)
	switch known := slices.Index(b.addresses, entry); {
	case len(entry) > maxAddress || strings.ContainsFunc(entry, unicode.IsControl):
		b.reject(problem.Invalid, "the address of a remote base is too long or has control characters")
	case isRemoteFile(entry):
		b.reject(problem.Remote, "%q is the address of a file", entry)
	case known >= 0:
		index = known
	case !b.isMissing[entry]:
		b.isMissing[entry] = true
		found.From, found.File = at.root, at.path
		b.missing = append(b.missing, found)
	}
	up := strings.Repeat("../", strings.Count(b.absolute(at.root, path.Dir(at.path)), "/"))
	linked := up + strings.TrimPrefix(b.absolute(index+1, b.alias(index+1, found.Path)), "/")
	b.linked[linked] = entry
	return linked, true
}

// dots stands for two dots in the name of a directory. Kustomize rejects such a name in a path, but
// not in an address.
const dots = "\x01"

// alias returns the path of a directory for Kustomize. Only such a path stands for another one.
func (b *bases) alias(root int, directory string) string {
	if !strings.Contains(directory, "..") {
		return directory
	}
	alias := strings.ReplaceAll(directory, "..", dots)
	b.aliases[place{root, alias}] = directory
	return alias
}

// checkInside rejects a path that leads outside of its repository. Kustomize would find nothing
// there, so this only explains it.
func (b *bases) checkInside(at place, entry string) {
	joined := path.Join(path.Dir(at.path), entry)
	if !path.IsAbs(entry) && (joined == ".." || strings.HasPrefix(joined, "../")) {
		b.reject(problem.Invalid, "%q leads outside the repository", entry)
	}
}

func (b *bases) reject(code, format string, values ...any) {
	if b.rejected == nil {
		b.rejected = problem.New(code, format, values...)
	}
}

// finish returns the problem of an entry that must not be read.
func (b *bases) finish() error {
	if b.rejected == nil {
		return nil
	}
	return b.rejected
}

// showPaths replaces the paths of Kustomize in a message. A path of the repository is relative to
// it. A path of a remote base follows the address.
func (b *bases) showPaths(message string) string {
	shown := maps.Clone(b.linked)
	for at, directory := range b.aliases {
		shown[at.path] = directory
		// Some messages quote others.
		shown[strings.ReplaceAll(at.path, dots, `\x01`)] = directory
	}
	// A path can begin with a shorter one.
	longestFirst := slices.SortedFunc(maps.Keys(shown), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	for _, each := range longestFirst {
		message = strings.ReplaceAll(message, each, shown[each])
	}
	for root := len(b.addresses); root >= 0; root-- {
		before, whole := "", "."
		if root > 0 {
			whole = b.addresses[root-1]
			before = whole + ": "
		}
		message = strings.ReplaceAll(message, b.absolute(root, ".")+"/", before)
		message = strings.ReplaceAll(message, b.absolute(root, "."), whole)
	}
	return message
}

// parseAddress reads an entry with Kustomize's own parser, which is internal: only the origin of an
// object shows its result.
func parseAddress(entry string) (Base, bool) {
	origin := (&resource.Origin{}).Append(entry)
	if origin.Repo == "" {
		return Base{}, false
	}
	// The path of a whole repository is the name of a directory that Kustomize uses before it
	// clones. A longer path shows which one it is.
	before, query, hasQuery := strings.Cut(entry, "?")
	longer := strings.TrimRight(before, "/") + "/" + probe
	if strings.HasSuffix(before, "//") {
		longer = before + probe
	}
	if hasQuery {
		longer += "?" + query
	}
	directory := ""
	// An address of the local disk is a repository as a whole.
	if found := (&resource.Origin{}).Append(longer); found.Repo == origin.Repo {
		directory = path.Clean("/" + strings.TrimSuffix(found.Path, probe))[1:]
	}
	return Base{
		Address: entry, Repository: origin.Repo, Revision: origin.Ref, Path: directory,
	}, true
}

// probe is the name of a directory that no repository has.
const probe = "qvs-probe"

// isRemoteFile reports whether an entry is the address of a file, which Kustomize reads by http.
// Kustomize asks the server; without a connection, the name decides.
func isRemoteFile(entry string) bool {
	address, err := url.Parse(entry)
	if err != nil || (address.Scheme != "https" && address.Scheme != "http") {
		return false
	}
	for _, mark := range []string{"//", ".git/", "_git/"} {
		if strings.Contains(address.Path, mark) {
			return false
		}
	}
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(path.Ext(address.Path)))
}
