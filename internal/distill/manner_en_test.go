package distill

import (
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// readings reads each of tests as it is written, and without capitals and marks where plain is set.
func readings(t *testing.T, plain bool, tests map[string]string) {
	t.Helper()
	for in, want := range tests {
		said := []string{in}
		if plain {
			said = append(said, strings.ToLower(strings.TrimRight(in, ".")))
		}
		for _, s := range said {
			var got []string
			for _, m := range readText(t, schema.SegInput, s).Facts {
				if m.Subject == "user" {
					got = append(got, m.Predicate+" "+strings.ToLower(m.Object))
				} else {
					got = append(got, m.Subject+" "+m.Predicate+" "+m.Object)
				}
			}
			if g := strings.Join(got, "; "); g != strings.ReplaceAll(want, "=", strings.ToLower(s)) {
				t.Errorf("%q: %q, want %q", s, g, want)
			}
		}
	}
}

// What begins like something about the speaker may be what the rest of the sentence is about.
func TestElided_NotBeforeAnotherVerb(t *testing.T) {
	readings(t, true, map[string]string{
		"Living in London is expensive.":        "",
		"Moving to Berlin is stressful.":        "",
		"Working from home is great.":           "",
		"Working remotely has its perks.":       "",
		"Learning Rust is hard.":                "",
		"Planning a trip takes ages.":           "",
		"Hate crimes are rising.":               "",
		"Love letters are rare.":                "",
		"Vegan and halal recipes please.":       "",
		"Engaged customers buy more.":           "",
		"Usually the build takes ten minutes.":  "",
		"Usually works fine.":                   "",
		"Living in Berlin now.":                 "lives_in berlin",
		"Working from home these days.":         "works_when from home",
		"Learning Rust because it is fast.":     "studies rust",
		"Usually wake up at 6.":                 "habit wake up at 6",
		"Hate cilantro.":                        "dislikes cilantro",
		"Vegan and allergic to nuts.":           "diet vegan",
		"Vegan for two years.":                  "diet vegan",
		"Vegan, no nuts.":                       "diet vegan",
		"Allergic to peanuts, which is a pain.": "allergic_to peanuts",
	})
	readings(t, false, map[string]string{
		"Usually Tom cooks dinner.":                  "",
		"Learning Rust.":                             "studies rust",
		"Married to Bob for ten years.":              "marital_status married",
		"I moved to Berlin, living here is great.":   "lives_in berlin",
		"Moved to Berlin because it is cheap there.": "lives_in berlin",
		"Moved to Berlin.":                           "lives_in berlin",
	})
}

// Orders and lines of a log are not what the speaker did.
func TestElided_NoOrdersAndLogs(t *testing.T) {
	readings(t, true, map[string]string{
		"Quit Chrome and reopen it.":    "",
		"Quit using emojis.":            "",
		"Speak some Italian with me.":   "",
		"Speak fluent Italian with me.": "",
		"Updated in March 2024.":        "",
		"Connected to staging-2 in May": "",
		"Failed with exit code 1.":      "",
		"Failed in March 2024.":         "",
		"Started at 09:14.":             "",
		"Dropped 3 packets.":            "",
		"Left join on user_id.":         "",
		"Speak fluent Italian.":         "speaks italian",
		"Quit smoking last year.":       "consumes smoke",
	})
}

func TestElided_HereIsACalling(t *testing.T) {
	readings(t, true, map[string]string{
		"Race condition here.":            "",
		"Typo here.":                      "",
		"Memory leak here.":               "",
		"Null pointer here.":              "",
		"Wrong parameter here.":           "",
		"No one speaks English here.":     "",
		"No developers here.":             "",
		"Two developers here.":            "",
		"Race driver here.":               "job_title race driver",
		"Software engineer here.":         "job_title software engineer",
		"Nurse from Leeds here.":          "job_title nurse",
		"Vegan here.":                     "diet vegan",
		"Diabetic here.":                  "health diabetic",
		"Backend developer at ACME here.": "job_title backend developer; works_at acme",
	})
}

// A request about one text, and a description of what there is, hold no longer than they are said.
func TestRules_StandForMoreThanOneText(t *testing.T) {
	readings(t, true, map[string]string{
		"No one speaks English in this town.":            "",
		"Nobody plays this game any more.":               "",
		"Nobody edits this page any more.":               "",
		"Nobody can delete the file.":                    "",
		"Nobody should have to do this.":                 "",
		"Nobody touches prod on Fridays.":                "rule =",
		"No one deploys after 4pm.":                      "rule =",
		"Nobody should edit the config.":                 "rule =",
		"Nobody can push to main without a review.":      "rule =",
		"Syntax errors in all files.":                    "",
		"Bugs in every commit.":                          "",
		"Fix the typos in all files.":                    "",
		"Put a ticket number in all commits.":            "rule =",
		"Metric units in all answers.":                   "rule =",
		"A short summary at the top of every report.":    "rule =",
		"Leave out the conclusion.":                      "",
		"Skip the intro.":                                "",
		"Get to the point.":                              "",
		"Skip the disclaimers.":                          "rule =",
		"Skip the intro in your answers.":                "rule =",
		"Always get to the point.":                       "rule =",
		"Round all prices to the nearest euro.":          "rule =",
		"Make your answer shorter.":                      "",
		"Keep the tone formal.":                          "",
		"Keep it brief.":                                 "",
		"Keep it brief in general.":                      "rule =",
		"Make your answers shorter.":                     "rule =",
		"Keep your answers short.":                       "rule =",
		"Keep your commit messages in the present tense": "rule =",
	})
}

func TestThings_HostsAndOwners(t *testing.T) {
	readings(t, false, map[string]string{
		"The entry point is main.go.":              "",
		"The framework is vue.js.":                 "framework attribute vue.js",
		"The config file is app.yaml.":             "",
		"The lockfile is config.prod.yaml.":        "",
		"The server is api.borealis.net.":          "server runs_on api.borealis.net",
		"Postgres is 10.0.0.5.":                    "Postgres runs_on 10.0.0.5",
		"Postgres is at 10.0.0.5:5432.":            "Postgres port_of 5432; Postgres runs_on 10.0.0.5",
		"The registry lives at registry.acme.io.":  "registry runs_on registry.acme.io",
		"The dashboard is at dash.borealis.net.":   "dashboard runs_on dash.borealis.net",
		"Tom is on the train.":                     "",
		"My sister is on the phone.":               "",
		"Tom is on PROJ-44.":                       "PROJ-44 owner_of Tom",
		"Tom is on #4471.":                         "#4471 owner_of Tom",
		"Ana is in charge of the billing service.": "billing service owner_of Ana",
	})
}
