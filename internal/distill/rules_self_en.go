package distill

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// rulesSelfEn are who somebody is, and who is around him.
var rulesSelfEn = []rule{
	// Who I am.
	{"en.name.calls", subjAny | subjNone, true, regexp.MustCompile(`^(?i:everyone|everybody|people|folks|friends|my friends|my family|most people|most folks|they|all|colleagues)(?: [\p{Ll} ]{2,20}?)? (?i:calls?|calling|know) me (?:as )?(?:by )?"?([\p{Lu}][\p{L}'-]+)"?\b.*$`), pName, .85, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], subject: "user", qualifier: "address", typ: schema.TypePreference}, true
	}},
	{"en.as_a", subjAny, true, compile(`^as an? ((?:[\w/&'-]+ ){0,4}?[\w-]+)(?: (?:on|at|in|for|with|who) .{2,80}?)?,? I\b.*$`), pJob, .78, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], subject: "user"}, reAgentEn.match(m[1]) && !notAgentsEn[strings.ToLower(m[1][strings.LastIndexByte(m[1], ' ')+1:])] && !manneredEn[strings.ToLower(m[1][strings.LastIndexByte(m[1], ' ')+1:])]
	}},
	{"en.living", subjSelf | subjKin | subjPerson, true, compile(`^(?:I|he|she|my [\p{L}-]+|\p{L}+) (?:do|does|am doing) (.+?) for a living\b.*$`), pJob, .82, nil},
	{"en.been_in", subjSelf | subjGroup | subjKin, true, compile(`^(?:I|we|he|she|my [\p{L}-]+) (?:have|has) been (?:living )?in (\p{Lu}[^,;]*?) (?:since|for)\b.*$`), pLivesIn, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1]}, capital(m[1]) && !reDayNameEn.match(m[1])
	}},
	{"en.name.am", subjSelf, false, regexp.MustCompile(`^(?:am|go by|am called|am named|go by the name(?: of)?) (?:the name )?(\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2})(?: by the way)?(?: and\b.*|, .*)?$`), pName, .75, nameEn},
	{"en.allergic.none", subjPeople, false, compile(`^(?:ha(?:ve|s) no (?:food )?allerg(?:y|ies)|(?:am|is|are) allergic to (?:anything|any food)|ha(?:ve|s) any (?:food )?allerg(?:y|ies))$`), pAllergic, .9, nothingOfAll},
	{"en.allergic", subjPeople, false, compile(`^(?:(?:am|is|are) (?:\w+ly )?(?:allergic|intolerant) to (.+)|ha(?:ve|s) (?:an? |severe |bad |mild )*(.+?) (?:allergy|allergies|intolerance)|ha(?:ve|s) an? (?:\w+ )?(?:allergy|intolerance) to (.+)|(?:am|is|are) (.+?)[- ]intolerant)$`), pAllergic, .95, firstGroup},
	{"en.health.have", subjSelf | subjKin | subjPerson, false, compile(`^(?:(?:have|has|suffers? from|was diagnosed with|were diagnosed with|got diagnosed with|been diagnosed with|am diagnosed with) (?:an? |type \d |chronic |severe |mild |high |low )*((?:[\w'-]+ ){0,3}(?:[\p{L}-]+(?:itis|osis|emia|aemia|algia|pathy|phobia|plegia|oma)|celiac|coeliac|ibs|pcos|ocd|ptsd|tinnitus|vertigo|scoliosis|hernia|reflux|gout|lupus|psoriasis|allerg(?:y|ies)|apnea|apnoea|sciatica|shingles|hay fever|panic attacks|flat feet|braces|contact lenses|contacts|implants?|(?:bad|weak|injured|torn|broken|sprained|sore|artificial) (?:back|knees?|hips?|shoulders?|heart|stomach|wrists?|ankles?|eyes?|eyesight|hearing|teeth|acl|meniscus)|(?:high|low) (?:cholesterol|iron|sugar)|diabetes|asthma|epilepsy|hypertension|blood pressure|arthritis|migraines?|anxiety|depression|adhd|autism|dyslexia|celiac|coeliac|cancer|disease|disorder|syndrome|condition|pacemaker|hearing aids?|glasses|insomnia|eczema|anaemia|anemia|bad back|bad knee|heart problem|thyroid \w+))|wears? ((?:[\w-]+ ){0,2}(?:glasses|lenses|contacts|hearing aids?|braces|wig|orthotics|insulin pump|pacemaker|splint|bifocals)\b.*)|gets? ((?:[\w-]+ ){0,2}(?:migraines?|headaches?|car ?sick|sea ?sick|motion sick(?:ness)?|panic attacks|heartburn|hay fever|dizzy|anxious|nosebleeds|cramps|hives|rash)\b.*)|takes? ((?:\w+ ){0,3}(?:mg|medication|pills?|insulin|metformin|ibuprofen|aspirin|tablets?).*))\b.*$`), pHealth, .85, hasIllnessEn},
	{"en.health.on", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are|takes?|taking) (?:on )?((?:about )?\d[\d.,]* ?(?:mg|mcg|µg|ml|g|units) (?:of )?.+|(?:on )?(?:[\w-]+ ){0,2}(?:medication|meds|insulin|antibiotics|statins|blood thinners|antidepressants|beta blockers|steroids|birth control|immunosuppressants|metformin|warfarin)\b.*)$`), pHealth, .85, nil},
	{"en.health.be", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are) ((?:type \d |red-green )?(?:colou?r[- ]?blind|left[- ]handed|right[- ]handed|ambidextrous|diabetic|asthmatic|epileptic|dyslexic|autistic|deaf|blind|pregnant|lactose[- ]intolerant|short-sighted|near-sighted|nearsighted|hard of hearing|claustrophobic|afraid of .+|scared of .+|immunocompromised|anaemic|anemic|tone-deaf))\b.*$`), pHealth, .9, nil},
	{"en.diet", subjPeople, false, compile(`^(?:(?:am|is|are) (?:an? )?(?:strict |strictly |mostly )?(vegan|vegetarian|pescatarian|halal|kosher|teetotall?er|teetotal|gluten-free|dairy-free|keto)s?|(?:eats?|keeps?) (?:only |strictly )?(halal|kosher|vegan|vegetarian|gluten[- ]free)(?: food| meat)?|(?:am|is|are) on an? ((?:[\w-]+ )?diet)|(?:went|gone|turned) (vegan|vegetarian))\b.*$`), pDiet, .92, firstGroup},
	{"en.gives_me", subjAny | subjNone, true, compile(`^(.+?) (?:gives? me|gave me|makes? me|brings? (?:me )?out in|always gives me) (?:an? |the )?(hives|rash|migraines?|heartburn|cramps|sick|ill|sneeze|itch|itchy|nauseous|bloated|stomach ?aches?|swell|break out|diarrh?oea|reflux|jittery|anxious|wheez\w+)\b.*$`), pHealth, .82, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: trimArticle(m[1]) + " → " + m[2]}, !isPronounEn(strings.ToLower(firstWord(m[1])))
	}},
	{"en.marital", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are|got|just got) (happily married|married|single|engaged|divorced|widowed|separated)(?: to (.+?))?(?: (?:in|since|for) .+)?$`), pMarital, .88, nil},
	{"en.age", subjSelf | subjKin | subjMine | subjPerson, false, compile(`^(?:am turning|is turning|will turn|am|is|are|turned|turns|just turned|turn|will be) (?:almost |nearly |about |now )?(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty)(?: (?:years?|months?)(?: |-)?old)?(?: (?:today|now|yesterday|tomorrow|(?:this|last|next) \w+|in \w+|on .+))?(?:,? (?:and|but) [^\d].+|, .+)?$`), pAge, .88, ageEn},
	{"en.born", subjSelf | subjKin | subjPerson, false, compile(`^(?:was|were|am) born (?:on|in) (.+)$`), pBirthday, .9, bornEn},
	{"en.name.bare", subjAny | subjNone, true, regexp.MustCompile(`^(?:(?i:the|my) )?(?i:name) is (\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2})(?:,.*| (?i:but|and|though|by the way)\b.*)?$`), pName, .85, func(c *clause, m []string) (fact, bool) {
		return fact{subject: "user", object: m[1]}, !c.negated
	}},
	{"en.passport", subjSelf | subjKin, false, regexp.MustCompile(`^(?:holds?|have|has|carry|carries|travels? on|got) (?:an? |both an? )?(\p{Lu}\p{Ll}+) (?:passport|citizenship|nationality)\b.*$`), pNation, .85, nil},
	{"en.moved_from", subjPeople, false, regexp.MustCompile(`^(?:have |has |just )*(?:moved|relocated|came) (?:(?:here|over|back|away) )?from (\p{Lu}[^,;]{1,30}?)(?: (?:in|on|last|this|back|for|with|\w+ years ago|because|to be)\b.*)?$`), pLivesIn, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], past: true}, !strings.Contains(m[1], " to ")
	}},
	{"en.from", subjPeople, false, compile(`^(?:(?:am|is|are|come|comes) (?:originally )?from|grew up in|grew up (?:near|around|outside)|(?:was|were) (?:born and )?raised in|(?:am|is) a native of) (.+)$`), pHometown, .8, func(c *clause, m []string) (fact, bool) {
		o := calledEn(objectOf(c, m[1]))
		return fact{object: o}, o != "" && unicode.IsUpper([]rune(o)[0])
	}},
	{"en.changed", subjSelf | subjGroup, false, compile(`^(?:have |has |just |recently )*(?:changed|switched|updated|replaced|got a new|have a new|got new) (?:my |our )?((?:[\w-]+ ){0,2}?(?:number|address|email|e-mail|phone|mobile|wechat|wechat id|port|domain|password hint|plate|name|username|handle|account|job|url|extension))(?:: |(?:,|\.| and|;| –| —| -)? (?:so )?(?:the |my |our |it |its )?(?:is now|new (?:(?:one|number|address|email|value|id|name|port) )?is(?: now)?:?|now(?: is)?:?|to|is) )(.+)$`), pAttr, .85, changedEn},
	{"en.moved", subjPeople, false, compile(`^(?:have |has |just |recently |am |is |are )*(?:moved|relocated|moving|relocating)(?: house)?(?: back)?(?: away)?(?: from (.+?))? (?:to|into|in with) (.+)$`), pLivesIn, .9, movedEn},
	{"en.lives", subjPeople, false, compile(`^(?:(?:have |has )?lived?|lives|(?:am|is|are) (?:living|based|staying|residing|settled|located)|reside|resides|living|(?:have|has) been living)(?: alone| together| (?:with|at) (?:my|our|his|her) [\w-]+(?: [\w-]+)?)? (?:in|at|on|near|with|out of|just outside|outside|outside of|over in|down in|up in|around) (.+)$`), pLivesIn, .92, livesEn},
	{"en.quit_job", subjSelf | subjKin, true, regexp.MustCompile(`^(?:I|i|he|she|my \p{L}+) (?:have |has |just |finally )*quit (\p{Lu}[\w&.-]*(?: \p{Lu}[\w&.-]*){0,3})(?: .*)?$`), pWorksAt, .8, func(c *clause, m []string) (fact, bool) {
		ended := c.ended
		if _, next, ok := strings.Cut(c.text, " joined "); ok && capital(calledEn(next)) {
			c.ended, c.negated = false, false
			return fact{object: calledEn(objectOf(c, next)), replaces: m[1]}, ended
		}
		return fact{object: m[1], negated: true}, ended
	}},
	{"en.left_job", subjPeople, false, compile(`^(?:have |has )?(?:left|quit|resigned from|(?:was|were|got) (?:laid off|let go|fired|made redundant)(?: from| at| by)|retired from|am (?:no longer|not) (?:at|with)|lost my job at|parted ways with|resigned at|handed in my notice at) (?:my job at |her job at |his job at |the job at )?(.+?)(?: (?:to join|for|and (?:then )?joined|and (?:have )?(?:since )?started (?:working )?(?:at|with|for)|and (?:am now|now work) (?:at|for)|to work at|to work for) (.+))?$`), pWorksAt, .85, leftEn},
	{"en.not_at", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is) (?:at|with|working (?:at|for)) (.+)$`), pWorksAt, .8, func(c *clause, m []string) (fact, bool) {
		o := place(c, m[1])
		return fact{object: o, negated: true}, c.ended && capital(o)
	}},
	{"en.promoted", subjPeople, false, compile(`^(?:(?:got|was|have been|has been|been|am being) (?:just )?promoted to|became|have become|has become|(?:am|is) now the|got (?:a job|a position|hired|a role|work) as|started (?:working )?as|(?:freelances?|(?:am |is )?freelancing|moonlights?|serves?|volunteers?) as|have a job as|am training (?:to be|as)) (?:an? |the )?(.+?)(?: (?:at|for|with|in) (.+))?$`), pJob, .85, promotedEn},
	{"en.works_adv", subjPeople, false, compile(`^(?:works?|(?:am|is|are) working|working|worked) (?:nights|days|evenings|weekends|full[- ]time|part[- ]time|remotely|freelance|shifts|night shifts|from home|mostly|mainly|abroad) (?:at|for) (.+)$`), pWorksAt, .88, worksEn},
	{"en.works_adv_as", subjPeople, false, compile(`^(?:works?|(?:am|is|are) working|working|worked) (?:nights|days|evenings|weekends|full[- ]time|part[- ]time|remotely|freelance|shifts|from home|mostly|mainly) as (?:an? |the )?(.+?)(?: (?:at|for|with|in) (.+))?$`), pJob, .88, jobEn},
	{"en.does", subjSelf | subjKin | subjPerson, true, compile(`^(?:I|he|she|my [\p{L}-]+|\p{L}+) (?:mostly |mainly |currently )?do(?:es)? ((?:[\w/&-]+ ){0,2}[\w/&-]+) (?:for|at) ((?:an? |the )?.+)$`), pField, .78, func(c *clause, m []string) (fact, bool) {
		at := strings.ToLower(m[2])
		return fact{object: m[1] + " for " + objectOf(c, m[2])}, !c.negated && !hasPrefixAny(strings.ToLower(m[1]), "it", "that", "this", "the ", "my ", "not ", "something", "everything") && (capital(m[2]) || reEmployerEn.match(at))
	}},
	{"en.works_as", subjPeople, false, compile(`^(?:have |has )?(?:works?|worked|am working|is working) as (?:an? |the )?(.+?)(?: (?:at|for|with|in) (.+))?$`), pJob, .9, jobEn},
	{"en.works_at", subjPeople, false, compile(`^(?:have |has )?(?:works?|worked|(?:am|is|are) (?:working|employed|interning)|(?:just |recently )?started (?:working|work)|working|interns?) (?:at|for|by) (.+)$`), pWorksAt, .92, worksEn},
	{"en.works_when", subjPeople, false, compile(`^(?:works?|working|(?:am|is|are) working) ((?:night|day|late|early|double)s?(?: shifts?)?\b.*|shifts\b.*|remotely\b.*|from home\b.*|part[- ]time\b.*|full[- ]time\b.*|weekends\b.*|from \d.*|(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b.*|four days\b.*|\d\d? hours\b.*)$`), pSchedule, .88, nil},
	{"en.works_in", subjPeople, false, compile(`^(?:works?|working|(?:am|is|are) working) (?:in|on) (.+)$`), pField, .8, nil},
	{"en.joined", subjPeople, false, compile(`^(?:have |has |just )*(?:joined|started (?:working )?(?:at|with)|started a (?:new )?job at|switched (?:jobs )?to|got a (?:new )?job at|changed jobs to|accepted an offer from|start at|starts at) (.+?)(?: (?:as) (?:an? )?(.+))?$`), pWorksAt, .82, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o}, o != "" && capital(o)
	}},
	{"en.job", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are) (?:an? |the only |the sole |the lead |the )((?:[\w/&'-]+ ){0,4}?[\w/&'-]*(?:engineer|developer|designer|teacher|doctor|nurse|lawyer|manager|scientist|analyst|accountant|architect|consultant|writer|editor|journalist|artist|musician|student|professor|researcher|programmer|chef|cook|driver|pilot|electrician|plumber|carpenter|photographer|translator|dentist|pharmacist|therapist|psychologist|auditor|director|founder|ceo|cto|cfo|lead|officer|specialist|administrator|technician|mechanic|farmer|baker|barista|librarian|firefighter|police officer|paramedic|salesperson|recruiter|freelancer|intern|postdoc|veterinarian|vet|surgeon|economist|biologist|chemist|physicist|mathematician|geologist|historian|beekeeper|gardener|sailor|captain|coach|trainer|banker|trader|broker|owner|contractor|producer|actor|actress|singer|dancer|clerk|secretary|assistant|coordinator|supervisor|inspector|surveyor|operator|welder|tailor|curator|statistician|linguist|luthier|sre|devops|dev|tech|admin|sysadmin|pm|qa|dba|nurse practitioner|midwife|pensioner|apprentice|trainee|resident|undergrad|grad student|phd|homemaker|stay-at-home (?:mum|mom|dad|parent)|civil servant|soldier|priest|pastor|rabbi|monk|judge|principal|headmaster|dean|chief of staff|vp|ceo|cto|cfo|coo|cashier|courier|florist|model|tutor|guide|referee|umpire|entrepreneur|fireman|flight attendant|builder|bricklayer|roofer|painter|illustrator|sculptor|potter|carer|caregiver|nanny|au pair|hairdresser|barber|stylist|physio|gp|paediatrician|radiologist))(?: (?:at|for|with|of|in) (.+?))?(?:, .*)?$`), pJob, .9, jobEn},
	{"en.job.agent", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are) an? ((?:[\w/&'.-]+ ){0,5}?[\p{L}-]+(?:er|or|ist|ian|man|woman))(?: (?:at|for|with|of|in) (.+?))?(?:, .*)?$`), pJob, .8, agentEn},
	{"en.studies", subjPeople, false, compile(`^(?:(?:am|is|are) )?(?:study|studies|studied|studying|majoring in|major in|majors in|doing (?:an?|my) (?:(?:part|full)[- ]time )?(?:phd|degree|master's|masters|msc|bachelor's) in|did my (?:phd|degree|master's|masters|msc|bachelor's|undergrad) (?:in|at)|graduated (?:from|in)|learning|enrolled (?:in|at)|(?:have|hold|got) an? (?:[\w']+ )?(?:degree|phd|master's|masters|msc|bsc|ba|ma|diploma) (?:in|from)|(?:in|starting|finishing) (?:my|his|her) (?:\w+ )?(?:year|semester) (?:of|at)|at (?:uni|university|college) (?:in|studying)) (.+)$`), pStudies, .85, studiesEn},
	{"en.studies.year", subjSelf | subjKin | subjPerson, false, compile(`^(?:am|is|are) (?:doing |in |an? )?((?:an? |my |his |her )?(?:(?:part|full)[- ]time )?(?:mba|phd|msc|masters?|master's|degree|bachelor's|apprenticeship|law school|med school|medical school|grad school|high school|(?:first|second|third|fourth|final|last|1st|2nd|3rd|4th)[- ]year\b.*|(?:1st|2nd|3rd|\d+th|first|second|third|fourth|fifth|sixth|seventh|eighth) grade|kindergarten|primary school|elementary school|secondary school|college|freshman|sophomore|(?:[\w-]+ ){0,3}(?:undergrad(?:uate)?|student|major)))\b(.*)$`), pStudies, .82, func(c *clause, m []string) (fact, bool) { return fact{object: objectOf(c, m[1]+m[2])}, !c.negated }},
	{"en.school", subjSelf | subjKin | subjPerson, false, compile(`^(?:goes|go|went|am going|is going|are going) to ((?:the )?(?:[\p{L}'.-]+ ){0,4}(?:school|elementary|college|university|uni|high|kindergarten|academy|primary|daycare|preschool|nursery|grammar))\b.*$`), pStudies, .8, func(c *clause, m []string) (fact, bool) {
		return fact{object: m[1], past: strings.HasPrefix(c.vpLow, "went ")}, capital(trimArticle(m[1])) || c.sub.kind == subjKin
	}},
	{"en.speaks", subjPeople, false, compile(`^(?:(?:can )?speaks? (?:fluent |a little |some |good |only )?(.+)|(?:am|is) (?:fluent in|a native speaker of|a native (\w+) speaker)(?: (.+))?)$`), pSpeaks, .88, firstGroup},
	{"en.nationality", subjSelf | subjKin | subjPerson, false, regexp.MustCompile(`^(?:am|is|are) (?:originally )?(?:a |an )?(\p{Lu}\p{Ll}+(?:ese|ish|an|ch|i)|Dutch|Greek|Thai|Swiss|Czech|Welsh|Finn|Swede|Dane)(?:,.*)?$`), pNation, .75, nil},
	{"en.life", subjSelf | subjGroup | subjKin | subjPerson | subjMine, false, compile(`^(?:have |has |just |recently |finally |both )*((?:(?:had|got) (?:an? |our |my |her |his )?(?:[\w-]+ ){0,3}(?:baby|twins|surgery|operation|stroke|heart attack|miscarriage|transplant|bypass|accident|burglary|vasectomy|vaccin\w+|appendix|wisdom teeth)|gave birth|passed away|died|got (?:married|engaged|divorced|promoted|laid off|tenure)|broke up|split up|separated|was diagnosed|were diagnosed|was promoted|lost (?:my|his|her) job|bought (?:an?|our|my) (?:[\w-]+ ){0,3}(?:house|flat|apartment|place|car|van|boat|farm|cottage|condo)|sold (?:my|our|the|his|her) .+|moved (?:out|in together)|broke (?:my|his|her) .+|graduated|retired|dropped out|came out|adopted an? .+|became (?:a )?(?:parents?|father|mother|citizens?|dad|mum|mom|uncle|aunt|grandparents?|grandmother|grandfather)).*)$`), pEvent, .8, lifeEn},

	// People and animals around me.
	{"en.manager.report", subjSelf, false, compile(`^reports? (?:directly )?to (.+)$`), pManager, .9, func(c *clause, m []string) (fact, bool) {
		o := objectOf(c, m[1])
		return fact{object: o, qualifier: "manager"}, capital(o)
	}},
	{"en.turns", subjKin | subjMine | subjPerson, false, compile(`^turns (\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b(.*)$`), pAge, .85, func(c *clause, m []string) (fact, bool) { return fact{object: objectOf(c, c.vp)}, true }},
	{"en.goes_by", subjKin, false, compile(`^(?:goes by|is known as) (\p{Lu}[\p{L}'-]+)\b.*$`), pKnows, .85, kinNameEn},
	{"en.kin.name", subjKin, false, compile(`^(?:'s name (?:is|was)|(?:is|are|was) (?:called|named)|is now|is|are) (.+)$`), pKnows, .9, kinNameEn},
	{"en.has.pet", subjSelf | subjGroup | subjKin, false, compile(`^(?:(?:have |has )?(?:just |recently )?(?:adopted|got|kept|rescued)|have|has|have got|own|owns|keep|keeps) (an?|two|three|four|five|six|some|several|\d+|)? ?((?:[\w-]+ )*?(?:dogs?|cats?|pupp(?:y|ies)|kittens?|parrots?|budgies?|rabbits?|hamsters?|tortoises?|turtles?|horses?|pon(?:y|ies)|goldfish|fish|chickens?|hens?|bees?|snakes?|geckos?|lizards?|guinea pigs?|ducks?|goats?|ferrets?|canar(?:y|ies)|cockatiels?|axolotls?|chinchillas?|gerbils?|kittens?|puppies|labradors?|huskies|husky|beagles?|collies?|shepherds?|retrievers?|terriers?|poodles?|corgis?|birds?))\b(.*)$`), pHas, .92, petEn},
	{"en.has.kin", subjSelf | subjKin, false, compile(`^(?:have|has|have got|got) (an?|one|two|three|four|five|\d+|no|twin) ?((?:[\w-]+ ){0,4}?(?:sister|brother|sibling|son|daughter|kid|child|children|twin|niece|nephew|cousin|grandchild|grandchildren|grandson|granddaughter|stepson|stepdaughter|roommate|flatmate|housemate|girlfriend|boyfriend|wife|husband|partner)s?(?: and .+)?)\b(.*)$`), pHas, .92, func(c *clause, m []string) (fact, bool) {
		return fact{object: strings.TrimSpace(m[1] + " " + m[2]), negated: strings.EqualFold(m[1], "no") || c.negated}, true
	}},
}
