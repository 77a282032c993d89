package kustomize

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"sigs.k8s.io/kustomize/api/konfig"
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
// of a directory. Kustomize checks that a clone reads nothing outside, so `link` has to check this.
type bases struct {
	// addresses are the bases of the request. The files of the first one are root 1.
	addresses []string
	missing   []Base
	// rejected is the first entry that must not be read.
	rejected *problem.Problem
	// linked are the entries by the paths that replace them.
	linked map[string]string
	// start is the directory of the request. Only its kustomization decides about metadata.
	start string
	// annotates is set if the result would contain paths of files.
	annotates bool
	// changed and embedded are kustomizations with addresses, and those that are also data.
	changed, embedded map[place]bool
}

// place is a file of a root.
type place struct {
	root int
	path string
}

func newBases(request Request) *bases {
	return &bases{
		addresses: request.Bases,
		linked:    map[string]string{},
		start:     path.Clean(request.Directory),
		changed:   map[place]bool{},
		embedded:  map[place]bool{},
	}
}

// isKustomization reports whether Kustomize takes a file of this name for a kustomization.
func isKustomization(name string) bool {
	return slices.Contains(konfig.RecognizedKustomizationFileNames(), path.Base(name))
}

// link replaces the addresses in a kustomization. It decodes and encodes the file with Kustomize's
// own type, so the names of fields and all forms of YAML are those of Kustomize. A file without
// addresses stays as it is.
func (b *bases) link(at place, text []byte) []byte {
	var k types.Kustomization
	if k.Unmarshal(text) != nil {
		return text
	}
	if at.root == 0 && path.Dir(at.path) == b.start {
		b.annotates = slices.Contains(k.BuildMetadata, types.OriginAnnotations) ||
			slices.Contains(k.BuildMetadata, types.TransformerAnnotations)
	}
	b.noteData(at, k)
	isChanged := false
	for _, entries := range [][]string{
		k.Resources, k.Bases, k.Components, k.Generators, k.Transformers, k.Validators,
	} {
		for i, entry := range entries {
			if linked, ok := b.linkEntry(at, entry); ok {
				entries[i] = linked
				isChanged = true
			}
		}
	}
	if !isChanged {
		return text
	}
	linked, err := json.Marshal(k)
	if err != nil {
		return text
	}
	b.changed[at] = true
	return linked
}

// linkEntry returns the path that replaces an address. It returns false for any other entry.
func (b *bases) linkEntry(at place, entry string) (string, bool) {
	found, ok := parseAddress(entry)
	if !ok {
		b.checkInside(at, entry)
		return "", false
	}
	if len(entry) > maxAddress || strings.ContainsFunc(entry, unicode.IsControl) {
		b.reject(problem.Invalid, "the address of a remote base is too long or has control characters")
		return "", false
	}
	if isRemoteFile(entry) {
		b.reject(problem.Remote, "%q is the address of a file", entry)
		return "", false
	}
	index := slices.Index(b.addresses, entry)
	if index < 0 {
		if !slices.ContainsFunc(b.missing, func(each Base) bool { return each.Address == entry }) {
			found.From, found.File = at.root, at.path
			b.missing = append(b.missing, found)
		}
		// No root has this number, so Kustomize finds nothing there.
		index = len(b.addresses)
	}
	up := strings.Repeat("../", strings.Count(absolute(at.root, path.Dir(at.path)), "/"))
	directory := strings.ReplaceAll(found.Path, "..", dots)
	linked := up + strings.TrimPrefix(absolute(index+1, directory), "/")
	b.linked[linked] = entry
	return linked, true
}

// checkInside rejects the path of a directory outside of its repository. Such a path could lead to
// the files of another one.
func (b *bases) checkInside(at place, entry string) {
	if strings.Contains(entry, "\n") || path.IsAbs(entry) {
		return
	}
	joined := path.Join(path.Dir(at.path), entry)
	if joined == ".." || strings.HasPrefix(joined, "../") {
		b.reject(problem.Invalid, "%q leads outside the repository", entry)
	}
}

func (b *bases) reject(code, format string, values ...any) {
	if b.rejected == nil {
		b.rejected = problem.New(code, format, values...)
	}
}

// noteData records kustomizations that a generator reads as data.
func (b *bases) noteData(at place, k types.Kustomization) {
	var sources []string
	for _, each := range k.ConfigMapGenerator {
		sources = append(append(append(sources, each.FileSources...), each.EnvSources...), each.EnvSource)
	}
	for _, each := range k.SecretGenerator {
		sources = append(append(append(sources, each.FileSources...), each.EnvSources...), each.EnvSource)
	}
	for _, source := range sources {
		if _, file, found := strings.Cut(source, "="); found {
			source = file
		}
		if isKustomization(source) {
			b.embedded[place{at.root, path.Join(path.Dir(at.path), source)}] = true
		}
	}
}

// finish returns the problem of a result that would differ from that of Kustomize.
func (b *bases) finish() error {
	if b.rejected != nil {
		return b.rejected
	}
	if len(b.changed) > 0 && b.annotates {
		return problem.New(problem.Unsupported,
			"buildMetadata asks for annotations with the origin of objects, and a remote base is used")
	}
	for each := range b.changed {
		if b.embedded[each] {
			return problem.New(problem.Unsupported,
				"a generator reads %s, which names a remote base", each.path)
		}
	}
	return nil
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
		directory = strings.TrimSuffix(strings.TrimSuffix(found.Path, probe), "/")
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
