package PACKAGE

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// One run of the tests: which mutant is on, which tests, in what surroundings.
type job__ struct {
	Mutant  int
	Run     string
	Shuffle string
	Env     []string
	Dir     string
	Shift   bool
}

type end__ struct {
	Passed  []string
	Failed  []string
	Skipped []string
	Whole   bool
}

var mutant__, _ = strconv.Atoi(os.Getenv("SIGN_MUTANT"))
var branches__ = map[string]bool{}
var lock__ sync.Mutex
var started__ = time.Now()

func ran_branch__(number int, value bool) bool {
	lock__.Lock()
	defer lock__.Unlock()
	branches__[fmt.Sprint(number, map[bool]string{true: "+", false: "-"}[value])] = true
	return value
}

func now__(real func() time.Time) func() time.Time {
	if os.Getenv("SIGN_SHIFT") == "" {
		return real
	}
	// The last day of a year: what counts years and months often breaks there.
	later := time.Date(started__.Year()+3, 12, 31, 12, 0, 0, 0, time.UTC).Sub(started__)
	return func() time.Time { return real().Add(later) }
}

func host__(real func() (string, error)) func() (string, error) {
	if os.Getenv("SIGN_SHIFT") == "" {
		return real
	}
	return func() (string, error) { return "elsewhere", nil }
}

func TestMain(m *testing.M) {
	if os.Getenv("SIGN_MUTANT") != "" {
		code := m.Run()
		seen := []string{}
		for branch := range branches__ {
			seen = append(seen, branch)
		}
		sort.Strings(seen)
		fmt.Println("\nSIGN-branches", strings.Join(seen, " "))
		os.Exit(code)
	}
	var jobs []job__
	if err := json.Unmarshal([]byte(jobs__), &jobs); err != nil {
		panic(err)
	}
	for index, job := range jobs {
		ended, output := run__(job)
		text, _ := json.Marshal(ended)
		fmt.Printf("\nSIGN-job %d %s\n", index, text)
		for _, line := range strings.Split(output, "\n") {
			if strings.HasPrefix(line, "SIGN-branches") && job.Mutant == 0 {
				fmt.Println(line)
			}
		}
	}
	os.Exit(0)
}

func run__(job job__) (end__, string) {
	limit, cancel := context.WithTimeout(context.Background(), LIMIT_MS*time.Millisecond)
	defer cancel()
	arguments := []string{"-test.v", "-test.run=" + job.Run, "-test.paniconexit0"}
	if job.Shuffle != "" {
		arguments = append(arguments, "-test.shuffle="+job.Shuffle)
	}
	command := exec.CommandContext(limit, os.Args[0], arguments...)
	command.Env = append(append(os.Environ(), "SIGN_MUTANT="+strconv.Itoa(job.Mutant)), job.Env...)
	if job.Shift {
		command.Env = append(command.Env, "SIGN_SHIFT=1")
	}
	command.Dir = job.Dir
	output, _ := command.CombinedOutput()
	return read__(string(output)), string(output)
}

func read__(output string) end__ {
	ended := end__{Passed: []string{}, Failed: []string{}, Skipped: []string{}}
	open := map[string]bool{}
	for _, line := range strings.Split(output, "\n") {
		words := strings.Fields(line)
		if len(words) < 3 || strings.HasPrefix(line, " ") {
			continue
		}
		name := words[2]
		switch words[0] + words[1] {
		case "===RUN":
			open[name] = !strings.Contains(name, "/")
		case "---PASS:":
			ended.Passed = append(ended.Passed, name)
		case "---FAIL:":
			ended.Failed = append(ended.Failed, name)
		case "---SKIP:":
			ended.Skipped = append(ended.Skipped, name)
		}
		if words[0] == "---" {
			open[name] = false
		}
	}
	for name, isOpen := range open {
		if isOpen {
			ended.Failed = append(ended.Failed, name)
		}
	}
	ended.Whole = strings.Contains(output, "SIGN-branches")
	return ended
}
