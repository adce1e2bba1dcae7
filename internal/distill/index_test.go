package distill

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLiterals(t *testing.T) {
	for _, tc := range []struct{ expr, want string }{
		{`abc`, "abc"},
		{`(?i)^I (?:am|was) here`, "^i am here|^i was here"},
		{`^(?:please )?stop (.+)$`, "^please stop |^stop "},
		{`(?:very )*tall|short`, "short|tall|very tall"},
		{`^(?:very )*tall`, "very tall|^tall"},
		{`\bin \d{4}\b`, "in 0000"},
		{`port (\d+)`, "port 0"},
		{`(\d+(?:\.\d+)?)(台|个)`, "0个|0台"},
		{`[一二三]{1,3}月`, "一月|三月|二月"},
		{`x[a-z]y`, "x"},
		{`(.+) (?:is|are) on port`, " are on port| is on port"},
		{`(?:a|b?)`, ""},
		{`.*`, ""},
		{`(?:^|,)(\p{Han}+)是`, "是"},
		{`(?i)fiancée`, "fianc"},
		{`^(?:a|^b)c`, "^ac|^bc"},
		{`(?i)ask`, "ask"},
		{`呢[？?]?$`, "呢|呢?|呢？"},
	} {
		got := strings.ReplaceAll(strings.Join(literals(tc.expr), "|"), startMark, "^")
		if got != tc.want {
			t.Errorf("%s needs %q, want %q", tc.expr, got, tc.want)
		}
	}
}

// expressions are all patterns of the package that stand behind an index, by name.
func expressions(t testing.TB) map[string]*pattern {
	t.Helper()
	out := map[string]*pattern{}
	add := func(name, expr string, ix *index, i int) {
		one := *ix // what the index says of this row alone
		one.anchored, one.always, one.out, one.hit = false, ix.always.and(rowOf(i)), slices.Clone(ix.out), slices.Clone(ix.hit)
		for s := range one.out {
			one.out[s] = one.out[s].and(rowOf(i))
			one.hit[s] = !one.out[s].empty()
		}
		p := gated(expr)
		p.once.Do(func() { p.re, p.gate = regexp.MustCompile(expr), &one })
		out[name] = p
	}
	for _, tb := range []*table{tableEn(), tableZh()} {
		for i, r := range tb.rules {
			ix := tb.part
			if r.whole {
				ix = tb.whole
			}
			if r.re != nil {
				add(r.name, r.re.String(), ix, i)
			}
		}
	}
	for i, r := range timeRules {
		add("time "+r.re.String(), r.re.String(), timeIndex(), i)
	}
	for name, p := range guards {
		p.once.Do(p.make)
		out[name] = p
	}
	return out
}

// Whatever a pattern matches, its gate lets through: strings are made from the patterns themselves.
func TestIndex_HidesNoMatch(t *testing.T) {
	for name, p := range expressions(t) {
		made := rapid.StringMatching(p.re.String())
		for seed := range 40 {
			if s := made.Example(seed); p.re.MatchString(s) && !p.gate.may(s) {
				t.Errorf("%s: %q is kept from %s", name, s, p.re)
			}
		}
	}
}

// Nor does it on all that is said in the corpora: clauses, and sentences as they stand.
func TestIndex_HidesNoMatchOfTheCorpora(t *testing.T) {
	var texts []string
	for _, ts := range [][]turn{spokenTurns(t), exampleTurns(t), newWriter(t, 2).turns(60)} {
		for _, u := range ts {
			for _, seg := range u.body.Segments {
				for _, s := range sentences(seg.Text) {
					texts = append(texts, s)
					for _, c := range clauses(s, speaker{self: "user"}, sunday) {
						texts = append(texts, c.vp, c.text)
					}
				}
			}
		}
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	for name, p := range expressions(t) {
		for _, s := range texts {
			if !p.gate.may(s) && p.re.MatchString(s) {
				t.Errorf("%q is kept from %s", s, name)
			}
		}
	}
}

// An index says of each row what an index of that row alone would.
func FuzzIndex_RowsAreApart(f *testing.F) {
	f.Add("ab|^b|c1", "xab1c9")
	f.Add("^a|aa|aab", "aaab")
	f.Add("每周|周一", "每周一")
	f.Add("s|k", "\u212a\u017f")
	f.Fuzz(func(t *testing.T, list, s string) {
		words := strings.Split(strings.ReplaceAll(list, "^", startMark), "|")
		if len(words) > maxRows {
			return
		}
		rows := make([][]string, len(words))
		var all rowSet
		for i, w := range words {
			all.add(i)
			if w != "" {
				rows[i] = []string{foldText(w)}
			}
		}
		got := newIndex(all, rows).scan(s)
		folded := startMark + foldText(strings.ReplaceAll(s, startMark, "?"))
		for i, row := range rows {
			want := len(row) == 0 || strings.Contains(folded, row[0]) || strings.ContainsRune(s, longS) || strings.ContainsRune(s, kelvin)
			if has := !got.and(rowOf(i)).empty(); has != want {
				t.Fatalf("row %d of %q in %q: %v", i, list, s, has)
			}
			if one := newIndex(rowOf(i), rows); one.may(s) != want {
				t.Fatalf("row %d of %q alone in %q: %v", i, list, s, !want)
			}
		}
	})
}

func foldText(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = foldByte(b[i])
	}
	return string(b)
}

// guards are the package's gated patterns by name; TestGuards_AreAllTested finds any that is not here.
var guards = map[string]*pattern{
	"reStayZh":        reStayZh,
	"reMatterIllZh":   reMatterIllZh,
	"reOfIllZh":       reOfIllZh,
	"reFirmEn":        reFirmEn,
	"reOutOfEn":       reOutOfEn,
	"reClockEn":       reClockEn,
	"reYearEn":        reYearEn,
	"reSettlingEn":    reSettlingEn,
	"reVisitEn":       reVisitEn,
	"reHiredEn":       reHiredEn,
	"reBesideEn":      reBesideEn,
	"reBoutEn":        reBoutEn,
	"reSubstanceEn":   reSubstanceEn,
	"reSymptomEn":     reSymptomEn,
	"reExposedEn":     reExposedEn,
	"reOnceZh":        reOnceZh,
	"reAgedZh":        reAgedZh,
	"reHasKinZh":      reHasKinZh,
	"reAgentZh":       reAgentZh,
	"reGapAheadZh":    reGapAheadZh,
	"reKinAloneZh":    reKinAloneZh,
	"reListedEn":      reListedEn,
	"reShell":         reShell,
	"reShownZh":       reShownZh,
	"reAgentEn":       reAgentEn,
	"reAndIEn":        reAndIEn,
	"reBanHeadZh":     reBanHeadZh,
	"reBeAdvEn":       reBeAdvEn,
	"reBeingEn":       reBeingEn,
	"reBornEn":        reBornEn,
	"reByHand":        reByHand,
	"reCarriedEn":     reCarriedEn,
	"reCountedEn":     reCountedEn,
	"reDayNameEn":     reDayNameEn,
	"reDidEn":         reDidEn,
	"reDoingEn":       reDoingEn,
	"reEmployerEn":    reEmployerEn,
	"reFiniteEn":      reFiniteEn,
	"reHereEn":        reHereEn,
	"reJestEn":        reJestEn,
	"reLikeYouEn":     reLikeYouEn,
	"reMeEn":          reMeEn,
	"reMealEn":        reMealEn,
	"reMentionEn":     reMentionEn,
	"reNoLeaveZh":     reNoLeaveZh,
	"reNotHere":       reNotHere,
	"reNotMine":       reNotMine,
	"rePartZh":        rePartZh,
	"rePersonEn":      rePersonEn,
	"rePersonHe":      rePersonHe,
	"rePersonShe":     rePersonShe,
	"reProfile":       reProfile,
	"rePronounEn":     rePronounEn,
	"reStandingAskEn": reStandingAskEn,
	"reStandingAskZh": reStandingAskZh,
	"reThingZh":       reThingZh,
	"reTodoDayZh":     reTodoDayZh,
	"reWhenYouEn":     reWhenYouEn,
	"reTreatZh":       reTreatZh,
	"reFourDigits":    reFourDigits, "reTimetableEn": reTimetableEn,
	"reFavEn":        reFavEn,
	"reBadAttr":      reBadAttr,
	"reTransEn":      reTransEn,
	"attrNounEn":     attrNounEn,
	"reModalSelf":    reModalSelf,
	"reDateEvent":    reDateEvent,
	"reNationEn":     reNationEn,
	"reHabitEn":      reHabitEn,
	"reVerbEn":       reVerbEn,
	"rePortWord":     rePortWord,
	"reStateVerb":    reStateVerb,
	"reVague":        reVague,
	"rePassing":      rePassing,
	"reDateEventZh":  reDateEventZh,
	"reBadAttrZh":    reBadAttrZh,
	"rePassingZh":    rePassingZh,
	"reFillerEn":     reFillerEn,
	"reExplicitEn":   reExplicitEn,
	"reTodoEn":       reTodoEn,
	"reWhEn":         reWhEn,
	"reHypoHeadEn":   reHypoHeadEn,
	"reTagQEn":       reTagQEn,
	"reReportEn":     reReportEn,
	"reDoubtEn":      reDoubtEn,
	"reBidZh":        reBidZh,
	"reAccordEn":     reAccordEn,
	"reThirdEn":      reThirdEn,
	"reLeadEn":       reLeadEn,
	"reLeadAnyEn":    reLeadAnyEn,
	"reCutEn":        reCutEn,
	"reOpenEn":       reOpenEn,
	"reCarryEn":      reCarryEn,
	"reAdvEn":        reAdvEn,
	"reHeadSubjEn":   reHeadSubjEn,
	"reDoctorEn":     reDoctorEn,
	"reApposEn":      reApposEn,
	"reApposMy":      reApposMy,
	"reFillerZh":     reFillerZh,
	"reExplicitZh":   reExplicitZh,
	"reTodoZh":       reTodoZh,
	"reAskZh":        reAskZh,
	"reAskVerbZh":    reAskVerbZh,
	"reHypoZh":       reHypoZh,
	"reReportZh":     reReportZh,
	"reOwnZh":        reOwnZh,
	"reGroupZh":      reGroupZh,
	"reAdvZh":        reAdvZh,
	"reLeadZh":       reLeadZh,
	"reCarryZh":      reCarryZh,
	"reKinBareZh":    reKinBareZh,
	"reVoidZh":       reVoidZh,
	"reNewOneZh":     reNewOneZh,
	"reNewZh":        reNewZh,
	"reNameZh":       reNameZh,
	"reStateNamedZh": reStateNamedZh,
	"reStateSaidZh":  reStateSaidZh,
	"reSecretAttr":   reSecretAttr,
	"reAdviceEn":     reAdviceEn,
	"reAdviceZh":     reAdviceZh,
	"reSourceTag":    reSourceTag,
	"reKeyValue":     reKeyValue,
	"reRefKey":       reRefKey,
	"reSecretKey":    reSecretKey,
	"reNeedsEn":      reNeedsEn,
	"reImperEn":      reImperEn,
	"reImperZh":      reImperZh,
	"reObjEndEn":     reObjEndEn,
	"reObjTail":      reObjTail,
	"reObjEndZh":     reObjEndZh,
	"reFence":        reFence,
	"reTag":          reTag,
	"reCode":         reCode,
	"rePasteEn":      rePasteEn,
	"rePasteZh":      rePasteZh,
	"reHeadEn":       reHeadEn,
	"reHeadZh":       reHeadZh,
	"rePossEn":       rePossEn,
	"reSinceZh":      reSinceZh,
	"reChangedEn":    reChangedEn,
	"reWishEn":       reWishEn,
	"reNoThing":      reNoThing,
	"rePartedEn":     rePartedEn,
	"rePartedZh":     rePartedZh,
	"reWishZh":       reWishZh,
	"reNewOneEn":     reNewOneEn,
	"reNewOneIs":     reNewOneIs,
	"reVerbStartEn":  reVerbStartEn,
	"reOccasionEn":   reOccasionEn,
	"rePlaceEn":      rePlaceEn,
	"reOccasionZh":   reOccasionZh,
	"reVoidedZh":     reVoidedZh,
	"reInLanguageZh": reInLanguageZh,
	"reThatRuleZh":   reThatRuleZh,
	"reNoDeedZh":     reNoDeedZh,
	"reLabelZh":      reLabelZh,
	"reLabelEn":      reLabelEn,
	"reThatEn":       reThatEn,
	"reItEn":         reItEn,
	"reThatZh":       reThatZh,
	"reTimeZh":       reTimeZh,
	"reUntilZh":      reUntilZh,
	"reFromEn":       reFromEn,
	"reFirstEn":      reFirstEn,
	"reStandingEn":   reStandingEn,
	"rePleaseEn":     rePleaseEn,
	"reAskFirstZh":   reAskFirstZh,
	"rePostEn":       rePostEn,
	"reLastingEn":    reLastingEn,
	"reYourOneEn":    reYourOneEn,
	"reAddressEn":    reAddressEn,
	"reOfAllEn":      reOfAllEn,
	"reLimitsEn":     reLimitsEn,
	"reNoLongerEn":   reNoLongerEn,
	"reItUsuallyEn":  reItUsuallyEn,
	"reOftenEn":      reOftenEn,
	"reManyHereEn":   reManyHereEn,
	"reMachineEn":    reMachineEn,
	"reTicketEn":     reTicketEn,
	"reAndVerbEn":    reAndVerbEn,
	"reBodyEn":       reBodyEn,
	"reBrokenEn":     reBrokenEn,
	"reConditionEn":  reConditionEn,
	"reDenyEn":       reDenyEn,
	"reDietEn":       reDietEn,
	"reEdibleEn":     reEdibleEn,
	"reEveryEn":      reEveryEn,
	"reFictionEn":    reFictionEn,
	"reFindEn":       reFindEn,
	"reGearEn":       reGearEn,
	"reHearsayEn":    reHearsayEn,
	"reIfEn":         reIfEn,
	"reIfNotEn":      reIfNotEn,
	"reKeepsAt":      reKeepsAt,
	"reLanguageEn":   reLanguageEn,
	"reMadeOfEn":     reMadeOfEn,
	"reMakeEn":       reMakeEn,
	"reMeantEn":      reMeantEn,
	"reMedicineEn":   reMedicineEn,
	"reMindEn":       reMindEn,
	"reMonthEn":      reMonthEn,
	"reOftenIn":      reOftenIn,
	"reOnceEn":       reOnceEn,
	"reOnceIf":       reOnceIf,
	"reOrderEn":      reOrderEn,
	"reAllEn":        reAllEn,
	"reAllZh":        reAllZh,
	"reAllVerbZh":    reAllVerbZh,
	"rePassingNow":   rePassingNow,
	"rePathIn":       rePathIn,
	"rePlanDeedEn":   rePlanDeedEn,
	"rePortIn":       rePortIn,
	"rePossIsEn":     rePossIsEn,
	"reRunnableEn":   reRunnableEn,
	"reSelfVerbEn":   reSelfVerbEn,
	"reSettledEn":    reSettledEn,
	"reSiblingEn":    reSiblingEn,
	"reSkillEn":      reSkillEn,
	"reSoonEn":       reSoonEn,
	"reURLIn":        reURLIn,
	"reUpToEn":       reUpToEn,
	"reVersionIn":    reVersionIn,
	"reWhereEn":      reWhereEn,
	"reCaseHeadZh":   reCaseHeadZh,
	"reCaseZh":       reCaseZh,
	"reFoodZh":       reFoodZh,
	"reHeadZh2":      reHeadZh2,
	"reHearsayZh":    reHearsayZh,
	"reKeepNot":      reKeepNot,
	"reMentionZh":    reMentionZh,
	"reNotZh":        reNotZh,
	"reOrderHeadZh":  reOrderHeadZh,
	"reOrderedZh":    reOrderedZh,
	"rePronounZh":    rePronounZh,
	"reRequestZh":    reRequestZh,
	"reStandingZh":   reStandingZh,
	"reToolZh":       reToolZh,
	"reTopicBit":     reTopicBit,
	"reTopicEat":     reTopicEat,
	"reTopicNo":      reTopicNo,
	"reTopicZh":      reTopicZh,
	"reWithZh":       reWithZh,
	"reKinHeadZh":    reKinHeadZh,
	"reNotPlaceZh":   reNotPlaceZh,
	"reAlwaysHasEn":  reAlwaysHasEn,
	"reButZh":        reButZh,
	"reCodeLangZh":   reCodeLangZh,
	"reEveryLead":    reEveryLead,
	"reFaveEn":       reFaveEn,
	"reJobEveryZh":   reJobEveryZh,
	"reListPetsEn":   reListPetsEn,
	"reListPetsZh":   reListPetsZh,
	"reListTeamEn":   reListTeamEn,
	"reListTeamZh":   reListTeamZh,
	"reMadeByEn":     reMadeByEn,
	"reMakeHeadZh":   reMakeHeadZh,
	"reNoIEn":        reNoIEn,
	"rePortEn":       rePortEn,
	"rePresentEn":    rePresentEn,
	"rePresentZh":    rePresentZh,
	"reTechnical":    reTechnical,
	"reDontKeepZh":   reDontKeepZh,
	"reDontKeepEn":   reDontKeepEn,
	"reSelfZh":       reSelfZh,
	"reTripZh":       reTripZh,
	"reHotelZh":      reHotelZh,
	"reHotelEn":      reHotelEn,
	"reMoveZh":       reMoveZh,
	"reBeastZh":      reBeastZh,
	"reOthersZh":     reOthersZh,
	"reBodyPartZh":   reBodyPartZh,
	"reAddrZh":       reAddrZh,
	"reThenStillZh":  reThenStillZh,
	"reFromToEn":     reFromToEn,
	"reMovedZh":      reMovedZh,
	"reWroteZh":      reWroteZh,
	"reWritesZh":     reWritesZh,
	"reDatabaseZh":   reDatabaseZh,
	"reSlipEn":       reSlipEn,
	"reSlotEn":       reSlotEn,
	"reSlipZh":       reSlipZh,
	"reSlotZh":       reSlotZh,
	"reVerbIn":       reVerbIn,
	"reTopicEver":    reTopicEver,
	"reOneTaskZh":    reOneTaskZh,
	"reThisTimeZh":   reThisTimeZh,
	"reTheySayZh":    reTheySayZh,
	"reOneTaskEn":    reOneTaskEn,
	"reSaysTailEn":   reSaysTailEn,
	"reHadBeenEn":    reHadBeenEn,
	"reAskBareEn":    reAskBareEn,
	"reTagEn":        reTagEn,
	"rePastedZh":     rePastedZh,
	"rePastedEn":     rePastedEn,
	"reWithoutEn":    reWithoutEn,
	"reInByEn":       reInByEn,
	"reRecallZh":     reRecallZh,
	"reNoticeZh":     reNoticeZh,
	"reBeenEn":       reBeenEn,
	"reReadsEn":      reReadsEn,
	"reMannerEn":     reMannerEn,
	"reFoundZh":      reFoundZh,
	"reDoesZh":       reDoesZh,
}

func TestGuards_AreAllTested(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	inspect := func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		ast.Inspect(spec.Values[0], func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if fn, ok := call.Fun.(*ast.Ident); ok && fn.Name == "gated" {
					seen++
					if guards[spec.Names[0].Name] == nil {
						t.Errorf("%s is in no test", spec.Names[0].Name)
					}
				}
			}
			return true
		})
		return true
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, inspect)
	}
	if seen != len(guards) {
		t.Errorf("%d patterns are gated, %d tested", seen, len(guards))
	}
	for name, p := range guards {
		if p.once.Do(p.make); !p.gate.always.empty() {
			t.Errorf("%s has a gate that is always open", name)
		}
	}
}

// BenchmarkTables is what a process pays before it reads its first turn.
func BenchmarkTables(b *testing.B) {
	for b.Loop() {
		newTable(rulesEn)
		newTable(rulesZh)
	}
}
