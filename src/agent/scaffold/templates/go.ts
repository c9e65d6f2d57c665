import { fillNames } from './fill-names.ts';
import { camelOf } from '../scaffold-names.ts';
import type { TemplateSet } from './template-set.ts';

const exported = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const restResource = `// Package solution: «title»
package solution

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

const (
	path         = "/«kebab»"
	maxBodyBytes = 1_000_000
)

// Item is what the resource holds.
type Item map[string]any

// Store keeps the items in memory. Replace it by a database.
type Store struct {
	mutex  sync.Mutex
	items  map[int]Item
	lastID int
}

// NewStore makes an empty one.
func NewStore() *Store {
	return &Store{items: map[int]Item{}}
}

// List gives every item.
func (s *Store) List() []Item {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	list := []Item{}
	for id := 1; id <= s.lastID; id++ {
		if item, ok := s.items[id]; ok {
			list = append(list, item)
		}
	}
	return list
}

// Create adds an item and gives it an id.
func (s *Store) Create(item Item) Item {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.lastID++
	item["id"] = s.lastID
	s.items[s.lastID] = item
	return item
}

// Read gives an item, if it is there.
func (s *Store) Read(id int) (Item, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	item, ok := s.items[id]
	return item, ok
}

// Update replaces an item, if it is there.
func (s *Store) Update(id int, item Item) (Item, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, ok := s.items[id]; !ok {
		return nil, false
	}
	item["id"] = id
	s.items[id] = item
	return item, true
}

// Delete removes an item, if it is there.
func (s *Store) Delete(id int) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_, ok := s.items[id]
	delete(s.items, id)
	return ok
}

// Handler serves the resource.
func Handler(store *Store) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest := strings.Trim(strings.TrimPrefix(r.URL.Path, path), "/")
		if !strings.HasPrefix(r.URL.Path, path) {
			answer(w, http.StatusNotFound, nil)
			return
		}
		item := Item{}
		if r.Method == http.MethodPost || r.Method == http.MethodPut {
			body := http.MaxBytesReader(w, r.Body, maxBodyBytes)
			if err := json.NewDecoder(body).Decode(&item); err != nil {
				answer(w, http.StatusBadRequest, nil)
				return
			}
		}
		if rest == "" {
			serveAll(w, r, store, item)
			return
		}
		id, err := strconv.Atoi(rest)
		if err != nil {
			answer(w, http.StatusNotFound, nil)
			return
		}
		serveOne(w, r, store, id, item)
	})
}

func serveAll(w http.ResponseWriter, r *http.Request, store *Store, item Item) {
	switch r.Method {
	case http.MethodGet:
		answer(w, http.StatusOK, store.List())
	case http.MethodPost:
		answer(w, http.StatusCreated, store.Create(item))
	default:
		answer(w, http.StatusMethodNotAllowed, nil)
	}
}

func serveOne(w http.ResponseWriter, r *http.Request, store *Store, id int, item Item) {
	ok := false
	switch r.Method {
	case http.MethodGet:
		item, ok = store.Read(id)
	case http.MethodPut:
		item, ok = store.Update(id, item)
	case http.MethodDelete:
		ok = store.Delete(id)
	default:
		answer(w, http.StatusMethodNotAllowed, nil)
		return
	}
	if !ok {
		answer(w, http.StatusNotFound, nil)
		return
	}
	answer(w, http.StatusOK, item)
}

func answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}
`;

export const goTemplates: TemplateSet = {
  code: {
    function: ({ title, pascal, parameters }) => `package solution

import "errors"

// ErrNotWritten says that a scaffold was called.
var ErrNotWritten = errors.New("not written yet")

// ${pascal}: ${title}
func ${pascal}(${parameters.map(camelOf).join(', ')} any) (any, error) {
	return nil, ErrNotWritten
}
`,
    class: ({ title, pascal }) => `package solution

import "errors"

// ErrNotWritten says that a scaffold was called.
var ErrNotWritten = errors.New("not written yet")

// ${pascal}: ${title}
type ${pascal} struct {
	items []any
}

// New${pascal} makes an empty one.
func New${pascal}() *${pascal} {
	return &${pascal}{}
}

// Add adds an item.
func (s *${pascal}) Add(item any) {
	s.items = append(s.items, item)
}

// Len is the number of items.
func (s *${pascal}) Len() int {
	return len(s.items)
}

// Process does the work this type is for.
func (s *${pascal}) Process() error {
	return ErrNotWritten
}
`,
    cli: ({ title, kebab, pascal }) => `// Command ${kebab}: ${title}
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// ${pascal} does the work for one input, given as text.
func ${pascal}(source string) (string, error) {
	return "", errors.New("${pascal} is not written yet")
}

func run(args []string, stdin io.Reader, stdout io.Writer) error {
	flags := flag.NewFlagSet("${kebab}", flag.ContinueOnError)
	if err := flags.Parse(args); err != nil {
		return err
	}
	input := stdin
	if flags.NArg() > 0 {
		file, err := os.Open(flags.Arg(0))
		if err != nil {
			return err
		}
		defer file.Close()
		input = file
	}
	source, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	result, err := ${pascal}(string(source))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, result)
	return err
}

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`,
    rest: (names) => fillNames(restResource, names),
  },
  testFramework: 'go test',
  tests: (functions) => `package solution

import "testing"

${functions
  .map(
    (name) => `func Test${exported(name)}(t *testing.T) {
	t.Skip("say what ${name} returns for a typical input, and what it does with bad input")
}
`,
  )
  .join('\n')}`,
};
