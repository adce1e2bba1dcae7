package distill

import (
	"strings"
	"sync"
)

const subjOne = subjSelf | subjGroup | subjKin

var lexiconEn = sync.OnceValue(func() *lexicon { return newLexicon(framesEn) })

// framesEn is the English lexicon: by what is said, the verbs and phrases that say it.
var framesEn = []frame{
	// Where somebody lives and comes from.
	{rule: rule{name: "en.frame.lives", pred: pLivesIn, subj: subjOne, conf: .8}, turn: true, fits: placeEn, make: placedEn,
		says: `settle down? in|near|outside X; put down roots in X; make POSS home in X; set up home in X; resettle|relocate|emigrate|immigrate|decamp|migrate to|in NAME; move back? in|into|to|out to|over to|up to|down to NAME; be transferred|posted|relocated to NAME`},
	{rule: rule{name: "en.frame.settles", pred: pLivesIn, subj: subjOne, conf: .8}, turn: true, fits: settlesEn, make: settledEn,
		says: `end up in NAME; find DET place|room in NAME`},
	{rule: rule{name: "en.frame.finds", pred: pLivesIn, subj: subjOne, conf: .8}, turn: true, fits: homeEn, make: settledEn,
		says: `find DET flat|apartment|house|studio in NAME`},
	{rule: rule{name: "en.frame.dwells", pred: pLivesIn, subj: subjOne, conf: .8}, fits: placeEn, make: placedEn,
		says: `reside|dwell|lodge|board|squat alone|together|mostly|full-time? in|near|outside|around|by|on|off|at X; live with _ in|near|outside NAME; split|divide POSS time between X; be back|home|now|all? in NAME since; rent|sublet|own|share DET room|flat|apartment|house|studio|loft|place|bungalow|cottage|townhouse|condo|duplex|bedsit|terrace in|near|on|off|outside|by|at X`},
	{rule: rule{name: "en.frame.now_in", pred: pLivesIn, subj: subjSelf | subjGroup | subjKin, conf: .76}, fits: nowInEn, make: placedEn,
		says: `be over|up|down|out|back|based|living? in NAME; be in DET home|hospital|hospice|school|college|university|dorm|prison|hostel in|at|near NAME`},
	{rule: rule{name: "en.frame.home", pred: pLivesIn, subj: subjOne, conf: .8}, fits: placeEn, make: placedEn,
		says: `call X home; rent|sublet DET room|flat|apartment|house|studio|loft|place|bungalow|cottage in|near|on|off|outside X; have DET flat|apartment|house|studio|room in|near|outside NAME`},
	{rule: rule{name: "en.frame.from", pred: pHometown, subj: subjOne | subjPerson, conf: .8}, turn: true, fits: placeEn, make: placedEn,
		says: `hail from X; originate from X; be raised|born in NAME; be born and raised|bred in X; spend DET childhood|youth|teens|school in|around|near NAME; spend most|much of POSS childhood|youth in|around|near NAME; grow up in|around|near|outside NAME; be from NAME originally; be originally from NAME`},

	// Work and study.
	{rule: rule{name: "en.frame.works_at", pred: pWorksAt, subj: subjOne | subjPerson, conf: .8}, fits: employerEn, make: employedEn,
		says: `work part-time|full-time|remotely|nights|mornings|freelance? for|at|with X; be employed by|at|with X; be on the staff|payroll of|at X; consult|intern|contract|freelance for|at|with X; lecture|teach|tutor|coach at X; drive|cook|code|write|translate|photograph for X; be on the board of X; be interning|consulting|contracting at|for|with X; temp at|for|with X`},
	{rule: rule{name: "en.frame.with", pred: pWorksAt, subj: subjOne | subjPerson, conf: .8}, fits: withEmployerEn, make: employedEn,
		says: `be with NAME`},
	{rule: rule{name: "en.frame.hired", pred: pWorksAt, subj: subjOne | subjPerson, conf: .82}, turn: true, fits: employerEn, make: employedEn,
		says: `be|get hired|recruited|headhunted|poached by|at NAME; land|get|take|accept|start DET job|role|position|gig|post|contract|internship|traineeship at|with|in NAME; sign on with NAME; go to work for NAME; accept|sign DET offer from|with NAME`},
	{rule: rule{name: "en.frame.living", pred: pJob, subj: subjOne | subjPerson, conf: .82}, make: jobAtEn,
		says: `pay the bills|rent as DET X; earn|make DET living as|by|from DET X; be employed|moonlighting|freelancing as DET X; moonlight|freelance|temp as DET X; serve|act|train|retrain|qualify as DET X; train|study|learn to be|become DET X; be training|studying|learning to be|become DET X; be DET X by trade|profession|training|day`},
	{rule: rule{name: "en.frame.days", pred: pField, subj: subjOne, conf: .72},
		says: `spend POSS days|time|weekdays X; spend most|all of POSS days|time|day X; do X for a living; do X by day; do X professionally`},
	{rule: rule{name: "en.frame.field", pred: pField, subj: subjOne | subjPerson, conf: .76}, fits: notAskedEn,
		says: `lecture|teach|tutor in? X; specialise|specialize in X; be specialising|specializing in X; work mostly|mainly? in|on X; do research on|in X; be in DET X business|trade|industry|field|sector; be in logistics|finance|marketing|sales|hr|retail|hospitality|education|healthcare|insurance|publishing|advertising|construction|academia|biotech|banking X; practise|practice law|medicine|dentistry|architecture X; handle|cover|do X for NAME`},
	{rule: rule{name: "en.frame.runs", pred: pRole, subj: subjSelf | subjKin, conf: .78}, fits: runnableEn,
		says: `lead|head|manage|supervise|oversee|run|chair|coordinate up? X; be in charge of X; be responsible for X; be the _ on|of|for the X; look after X; be on the X team|committee|board|council`},
	{rule: rule{name: "en.frame.when", pred: pSchedule, subj: subjOne, conf: .8}, make: wholeEn,
		says: `be mostly? on nights|days|lates|earlies; have DET off X; have weekends|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|mornings|afternoons|evenings off; be off on? mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|every|most; be in the office on? _; work from _ to|till|until X; do|cover nights|days|shifts|twelves|doubles|evenings|lates|earlies|mornings; do|cover|have DET night|day|late|early|evening|weekend shift|shifts; work from home on? X; be on night|day|late|early|rotating shift|shifts; be part-time|full-time; start|finish|begin|end|stop work at|around|by X; clock in|off|out at|around|by X; be on call X; keep|work odd|regular|office|irregular|flexible hours; work DET days|hours a|per week; be only? available|around|reachable|free X; be in DET meetings every|on|until X`},
	{rule: rule{name: "en.frame.studies", pred: pStudies, subj: subjOne | subjPerson, conf: .8}, fits: notAskedEn,
		says: `major|minor in? X; read law|english|history|economics|philosophy|physics|classics at? X; take DET class|classes|course|courses|lessons in|on X; take X classes|lessons|courses; be taking X classes|lessons|courses; be taking DET class|classes|course|courses|lessons in|on X; do DET degree|phd|masters|master's|msc|mba|bachelor's|diploma|apprenticeship|course|certificate|a-levels in|at|on X; be doing DET degree|phd|masters|master's|msc|mba|bachelor's|diploma|apprenticeship|course|certificate|a-levels in|at|on X; hold|have DET degree|phd|doctorate|masters|master's|msc|mba|bachelor's|diploma|certificate in|from X; be enrolled in|at|on X; be enrolling in|at|on X; attend NAME; be|go to school|uni|university|college|grad at|in NAME; go to NAME university|college|school|high|primary|academy; be in year|grade X; be in POSS first|second|third|fourth|final|last year X; write POSS thesis|dissertation on X; be writing POSS thesis|dissertation on X; be working towards DET X; be an undergrad|undergraduate|postgrad|student at|in X; teach myself|herself|himself X; be teaching myself|herself|himself X; be learning how? to? X; be brushing up on X; be reading law|english|history|economics|philosophy X; train in X; be training in X; be studying for X; be cramming|revising for X`},
	{rule: rule{name: "en.frame.studied", pred: pStudies, subj: subjOne | subjPerson, conf: .8}, turn: true, fits: notAskedEn,
		says: `graduate from|in|with X; get|earn|receive|finish|complete|do POSS degree|phd|doctorate|masters|master's|msc|mba|bachelor's|diploma|undergrad|training in|from|at|on X; get|earn|receive|finish|complete DET degree|phd|doctorate|masters|master's|msc|mba|bachelor's|diploma in|from|at X; drop out of X; study X at NAME; go to university|uni|college|school in|at X`},
	{rule: rule{name: "en.frame.manager", pred: pManager, subj: subjSelf | subjGroup, conf: .85}, make: managedEn,
		says: `report|answer directly? to NAME; work under NAME; be managed|supervised|led|line-managed|advised by NAME; have NAME as DET manager|boss|supervisor|lead|advisor`},

	{rule: rule{name: "en.frame.drives", pred: pJob, subj: subjOne | subjPerson, conf: .78}, make: wholeEn,
		says: `drive|operate|pilot|fly DET tram|bus|truck|lorry|lorries|trucks|buses|taxi|taxis|cab|forklift|ambulance|crane|trains|helicopters|hgv|coach|deliveries|minicab|uber X?; deliver parcels|mail|post|packages|newspapers|pizza X?; wait|tend tables|bar X?; stack shelves X?; do hair|nails|makeup|taxes|admin|bookkeeping for|at X`},

	// Languages.
	{rule: rule{name: "en.frame.speaks", pred: pSpeaks, subj: subjOne | subjPerson, conf: .82}, fits: languageEn, make: languagedEn,
		says: `be fluent|conversational|bilingual|trilingual|proficient in|with|at X; can speak|read|understand|write|follow X; speak|understand some|fluent|basic|broken|decent|passable|conversational|good? X; get by in X; can get by in X; be native|bilingual X; cannot speak|read|understand|write X; know|have some|basic|a|little|bit|of|enough? X`},

	// Health and diet.
	{rule: rule{name: "en.frame.health", pred: pHealth, subj: subjSelf | subjKin | subjPerson, conf: .85}, fits: conditionEn,
		says: `live with DET X; have|get DET X; have got DET X; suffer from|with DET X; struggle with DET X; battle|fight DET X; deal with DET X; cope with DET X; be prone to X; be recovering from DET X; recover from DET X; be living|struggling|dealing|coping|battling with? DET X; be being? treated for DET X; manage POSS X; go|be blind|deaf in|on X`},
	{rule: rule{name: "en.frame.ill", pred: pHealth, subj: subjSelf | subjKin | subjPerson, conf: .82}, fits: conditionEn, make: conditionedEn,
		says: `be X`},
	{rule: rule{name: "en.frame.diagnosed", pred: pHealth, subj: subjSelf | subjKin | subjPerson, conf: .85}, turn: true, fits: conditionEn, make: diagnosedEn,
		says: `be|get diagnosed with|as DET X; develop DET X; come down with DET X; test positive for X; turn out to have X; find out DET|i|he|she|we have|had X; be born with X`},
	{rule: rule{name: "en.frame.injured", pred: pEvent, subj: subjSelf | subjKin | subjPerson, conf: .8}, turn: true, fits: bodyEn, make: wholeEn,
		says: `break|fracture|sprain|tear|pull|dislocate|injure|hurt|twist|rupture|strain|bust|wreck|slip POSS|a|the X; have surgery|operation on X; have DET surgery|operation|replacement|implant X; have POSS _ removed|replaced|taken|out`},
	{rule: rule{name: "en.frame.impaired", pred: pHealth, subj: subjSelf | subjKin | subjPerson, conf: .82}, fits: bodyEn, make: wholeEn,
		says: `have DET bad|dodgy|weak|sore|stiff|trick|artificial|new|replacement X; cannot see|hear|walk|bend|feel|smell X; be blind|deaf in X; have trouble|difficulty seeing|hearing|walking|sleeping|breathing X`},
	{rule: rule{name: "en.frame.treats", pred: pHealth, subj: subjSelf | subjKin | subjPerson, conf: .8}, fits: medicineEn,
		says: `take DET X; be on DET X; be taking DET X; get DET X; wear DET X; use DET X; have DET X; inject X; be prescribed X; carry DET X; be put on X; need DET X; sleep with DET X; see DET therapist|physio|chiropractor|psychiatrist|dietitian|cardiologist|dermatologist X`},
	{rule: rule{name: "en.frame.allergic", pred: pAllergic, subj: subjSelf | subjKin | subjPerson, conf: .85}, fits: notAskedEn,
		says: `have DET intolerance|allergy|allergies|intolerances to X; go into shock from|when|if X; be intolerant|allergic to X`},
	{rule: rule{name: "en.frame.reacts", pred: pAllergic, subj: subjSelf | subjKin | subjPerson, conf: .85}, fits: reactsEn,
		says: `react badly|terribly to X; come|break out|up in|into _ from|when|whenever|if|after|with X; break out from|when|whenever|if|after X; swell up? from|when|whenever|if|after X; be sensitive|hypersensitive to X; have DET reaction|sensitivity to X; get hives|a|an rash|hives|itchy|reaction? from|off X`},
	{rule: rule{name: "en.frame.diet", pred: pDiet, subj: subjPeople, conf: .85}, fits: dietEn,
		says: `follow|observe|keep to? DET X diet; keep|stay|go|eat|remain|cook DET X; stick to DET X diet; be on DET X diet; raise|be|raising _ vegetarian|vegan|kosher|halal; try to? keep|stay|go|eat X; be trying to? keep|stay|go|eat X; follow DET X`},
	{rule: rule{name: "en.frame.avoids", pred: pConsumes, subj: subjPeople, conf: .8}, fits: edibleEn, make: avoidedEn,
		says: `avoid X; stay|steer|keep well? away|clear from|of X; stay|keep|lay off X; be off X; cut out|down|back on? X; be cutting out|down|back on? X; give up X; swear off X; abstain|refrain from X; go off X; go|be without X; cannot do|handle|tolerate|stomach|digest|touch|have|eat|drink X; skip X; quit X; kick X; ditch X; go cold turkey on X; be done with X; do not do|touch X; touch X`},
	{rule: rule{name: "en.frame.consumes", pred: pConsumes, subj: subjPeople, conf: .76}, fits: edibleEn,
		says: `live|survive|subsist|run on X; have X for breakfast|lunch|dinner|supper; start DET day|morning with X; snack on X; get|go|power through X a|per day|week; drink|eat|sip|munch X every|each|daily|a|all|in|before|after|with|most; be a X drinker; smoke|vape|chew X; go through X a|per day|week; drink|eat|have X instead; have switched to X`},

	// Tastes.
	{rule: rule{name: "en.frame.likes", pred: pLikes, subj: subjPeople, conf: .85}, fits: tastedEn, make: bareEn,
		says: `have DET soft|big|massive|huge|real? spot|weakness|thing|passion|fondness|love|obsession|affinity|penchant|taste|craving|addiction for|with X; be DET crazy|nuts|mad|wild|passionate|bonkers|bananas about X; cannot get enough of X; cannot resist X; cannot live without X; be hooked|big|keen|hot|stuck on X; be DET sucker for X; be all about X; root for X; be rooting for X; fall in love with X; be in love with X; get DET kick|buzz out of X; live for X; gravitate|lean towards|toward|to X; geek|nerd|obsess out? over|about X; be passionate about X; dig X; cherish|treasure|worship|fancy|relish|savour|savor X; be partial to X; be fond of X; be obsessed with X; be addicted to X; be into X; be really|super|so|heavily? into X; be DET X fan|buff|nut|lover|junkie|geek|nerd|enthusiast|addict|aficionado|fanatic|supporter|fiend|freak; be DET fan|lover|supporter|admirer of X; appreciate DET good X; swear by X; take to X; have taken to X; have got into X; have got really into X; get really|heavily|super? into X; have|be always? loved|liked|enjoyed|adored X; enjoy|adore|love|like X; support|follow NAME; never get tired|bored of X; never tire of X; could eat|listen|watch|drink|read|live to|on? X every|all|forever; be happiest|happy when|in|with X; have been enjoying|loving X; be enjoying|loving X; be a big|huge|massive|great? believer in X`},
	{rule: rule{name: "en.frame.dislikes", pred: pDislikes, subj: subjPeople, conf: .85}, fits: tastedEn, make: bareEn,
		says: `hate|loathe|detest|despise|dread|abhor|resent|dislike|avoid X; cannot stand|bear|abide|take|handle|face|deal|cope|be stick|with|doing? with? X; cannot be doing with X; have no time|patience|use|love|stomach|interest for|with|in X; be no DET fan|lover of X; be not|hardly? DET fan of X; be sick|tired|fed|bored|weary up? of|with|by X; find X boring|annoying|tedious|irritating|unbearable|exhausting|pointless|creepy|disgusting|gross|overrated|stressful|depressing|unpleasant|tiring|cringey|too; never got|warmed|took|cared on|into|to|for? with|to|for? X; get|be irritated|annoyed|bored|frustrated|put|stressed off? by|with X; have DET thing|grudge against X; draw the line at X; cringe at|over|whenever|when X; go out of POSS way to avoid X; have DET fear|phobia|horror|hatred|dislike|aversion of|to|for X; lose interest|patience in|with X; have had it with X; go off X; have gone off X; get on with X; rate X much`},
	{rule: rule{name: "en.frame.prefers", pred: pPrefers, subj: subjPeople, conf: .85}, fits: tastedEn, make: bareEn,
		says: `prefer|favour|favor X; lean towards|toward X; would rather have|do|be|take|go|use|read|eat|drink|get? X than; would sooner _ X than; would take|choose|pick|have X over; take|choose|pick X over _; go for X over _; opt for X; be opting for X; tend towards X; like X better|more than; would always? go for X; like X best; would always? choose|pick|take X; be more of DET X than; be more DET X than; be more of DET X; be more into X than; be DET X person not|rather|over; incline towards X; get more out of X than; choose|pick X every|any; stick to|with X; would much? rather X than; would much? rather X; would like X better|instead`},

	{rule: rule{name: "en.frame.trait", pred: pTrait, subj: subjSelf | subjKin, conf: .78}, fits: birthEn, make: wholeEn,
		says: `be the youngest|oldest|eldest|second|middle|only X; be an only child; be one of X`},

	// Habits, doings, plans.
	{rule: rule{name: "en.frame.doing", pred: pDoing, subj: subjOne, conf: .76}, fits: doingEn,
		says: `be learning|training|preparing|practising|practicing|rehearsing|saving|fundraising|studying|applying|campaigning to|for|up|in? X; be building|writing|designing|making|developing|restoring|renovating|refurbishing|redoing|remodelling|remodeling|repairing|sewing|knitting|translating|editing|composing|recording|directing|filming|illustrating|drafting|converting|organising|organizing|planning|setting|curating|landscaping|decorating up? DET X; be working on X; be raising|fostering|homeschooling|expecting|caring|adopting for? X; be looking|hunting|searching|shopping for DET new? job|flat|house|apartment|room|roommate|flatmate|place|nanny|daycare|work|position|role|school|car|tenant X?; be house-hunting|job-hunting|flat-hunting X; be house-hunting|job-hunting|flat-hunting; be trying for X; be trying to lose|quit|stop|get|learn|eat|cut|sleep|save|find|sell|buy|conceive|drink|run|read|exercise X; be in the process|middle of X; be getting into X; be coaching|mentoring|tutoring|teaching|hosting X; be researching|investigating|exploring|reading X; be recovering|rehabbing from X; be on parental|maternity|paternity|sick|gardening leave X; be on parental|maternity|paternity|sick|gardening leave; be between jobs; be collecting|growing|brewing|baking|breeding|keeping|raising X; help out? with|at X; be volunteering|helping out? with|at X`},
	{rule: rule{name: "en.frame.takes_up", pred: pDoing, subj: subjOne, conf: .76}, turn: true, fits: notAskedEn,
		says: `take up X; pick up DET guitar|banjo|piano|violin|cello|ukulele|drums|saxophone|trumpet|flute|knitting|running|tennis|chess|pottery|climbing|swimming|cycling|sewing|photography|surfing|boxing|golf|yoga|crochet|painting X?; get into knitting|running|tennis|chess|pottery|climbing|swimming|cycling|sewing|photography|surfing|boxing|golf|yoga|crochet|painting|baking|gardening|birdwatching|woodworking X?; start learning|training|playing|practising|practicing|writing|taking X; have started|begun learning|training|playing|practising|practicing|writing|taking|doing X; join DET choir|band|gym|club|team|league|orchestra|book|theatre|theater X?; sign up for|to X`},
	{rule: rule{name: "en.frame.plans", pred: pPlan, subj: subjOne, conf: .8}, turn: true, fits: plannedEn, make: plansEn,
		says: `intend|mean|aim|hope|plan|expect|want|wish to X; be hoping|intending|aiming|planning|looking|meaning|determined|set|due|scheduled|booked|supposed|desperate|keen|about|expected to X; be planning|organising|organizing X; be due at|in|on|back X; get|have|book tickets|seats for|to X; book|reserve DET X; have booked|reserved DET X; sign up for X; register for X; promise|owe X; have promised X; have DET X on|next|tomorrow|this|in|at; be saving up? for|to X; want to X someday|one|some|eventually`},

	// What somebody has and uses.
	{rule: rule{name: "en.frame.has", pred: pHas, subj: subjOne, conf: .78}, fits: ownableEn,
		says: `own|possess|keep|collect|inherit X; share POSS|the house|flat|home|place|apartment with X; be the owner|proud of|owner of? X; be DET mother|father|mum|mom|dad|parent|owner|guardian|godparent|godmother|godfather|stepmother|stepfather|landlord of|to X; be a mother|father|mum|mom|dad|parent|grandmother|grandfather of|to X`},
	{rule: rule{name: "en.frame.gets", pred: pHas, subj: subjOne, conf: .78}, turn: true, fits: ownableEn,
		says: `adopt|rescue|foster|inherit DET X; get|buy myself|ourselves DET X; become|be DET proud? owner|parents|parent|mother|father|dad|mum|mom of X; take in DET stray|rescue|foster X; be given DET X by|as|for; welcome DET X; pick up DET second-hand|used|new X; invest in DET X`},
	{rule: rule{name: "en.frame.uses", pred: pUses, subj: subjOne, conf: .78}, fits: toolEn,
		says: `use|rely|depend on? X; keep|store|track|manage|organise|organize|log|sync|do|write|take|draft|plan|edit|design|draw|model|host|deploy _ in|on NAME; keep|store|track|manage|organise|organize|log|sync|back|do|write|take|draft|plan|record|edit|design|draw|model|host|deploy|run|ship|test|monitor|build|develop|bill|invoice|schedule up? _ with|via|through|using NAME; code|program|edit|draw|design|write|model|record|compose|type in|on|with|using NAME; be set up on|with NAME; run mostly|entirely|all|still|fully? on NAME; swear by NAME; bank|shop with|at NAME; subscribe to X; pay for NAME; wear DET X; play DET guitar|banjo|piano|violin|cello|ukulele|drums|saxophone|trumpet|flute|bass|harp|clarinet|viola|accordion|keyboard|harmonica X?; commute|travel|get by|on|to|in|around _? bike|bus|train|car|tram|foot|scooter|metro|subway|ferry ; have NAME set|installed|running up? on? X?; dual-boot X; type on DET X; work on DET X; be using X`},
	{rule: rule{name: "en.frame.built", pred: pUses, subj: subjThings, conf: .76}, fits: toolEn,
		says: `talk|connect|authenticate|communicate|publish|write|push|integrate|log|report to|with _ through|via|over|using NAME; be built|written|made|packaged|deployed|generated|rendered|compiled|tested|bundled|managed|provisioned|backed|powered with|on|via|by|using NAME; get built|deployed|packaged|tested with|on|via|by|using NAME; sit behind NAME`},
	{rule: rule{name: "en.frame.moved_to", pred: pUses, subj: subjOne, conf: .8}, turn: true, fits: toolEn,
		says: `switch|migrate|convert|upgrade|change|transition over? to NAME; move over to NAME; start using X; have started using X; adopt NAME; standardise|standardize on X; be switching|migrating|moving over? to NAME; settle on NAME; get set up with NAME; replace _ with|by NAME; trade _ for DET NAME; upgrade to DET X; be trying out X`},
	{rule: rule{name: "en.frame.drops", pred: pUses, subj: subjOne, conf: .8}, turn: true, fits: toolEn, make: droppedEn,
		says: `be done with NAME; drop|ditch|dump|uninstall|abandon|scrap|retire|sunset|deprecate|decommission|kill|remove|cancel NAME; get rid of NAME; move|migrate|switch away|off from|of? NAME; be moving|migrating|switching away|off from|of? NAME; cancel POSS NAME subscription|account|membership|plan; phase out NAME; stop using X; have stopped using X; quit using X; delete POSS NAME account|profile`},
	{rule: rule{name: "en.frame.knows", pred: pKnows, subj: subjSelf | subjKin, conf: .74}, fits: skillEn,
		says: `know DET X; be good|great|decent|proficient|experienced|comfortable|familiar|skilled|handy at|in|with X; be new to X; have experience with|in X; have worked with X; have _ years of experience with|in X; have _ years|months of X experience; be no good|bad|terrible|hopeless|useless at|with X; never learned|learnt|learn to? X; written|touched|coded|programmed DET line? of? NAME; cannot swim|drive|cook|sing|ski|code|read|type|ride X?; be rusty|weak in|on|at|with X; have written|coded|programmed|used X for`},

	// What a project decided.
	{rule: rule{name: "en.frame.decided", pred: pDecision, subj: subjSelf | subjGroup, conf: .84}, turn: true, fits: decidedEn,
		says: `vote to|for|on|against|that X; agree that|to|on X; decide that|to|on|against|not X; settle on X; go with X; opt for|to|against X; choose|elect to X; resolve to X; be going with|ahead X; be keeping|dropping|scrapping|replacing|adopting|sunsetting|deprecating|postponing|freezing X; conclude that X; rule out X; pick X over _; commit to X; sign off on X; change POSS mind|minds about X; have changed POSS mind|minds about X; scrap|shelve|postpone|drop the X; stick|be sticking with|to X; reject X`},
}

// object guards and makers of frames

func placeEn(c *clause, o string) bool {
	low := strings.ToLower(o)
	return o != "" && !hasSuffixAny(low, " my", " our", " his", " her", " their") && len(strings.Fields(o)) <= 8 && !containsAny(low, "the past", "the moment", "trouble", "love", "peace", "fear", "court", "charge", "meeting", "denial", "circles", "hope", "tears") && !notPlaceEn[strings.Fields(low)[0]] && (capitalIn(o) || reWhereEn.match(low)) && !reMonthEn.match(o)
}

var (
	notPlaceEn = wordSet("bed work school version production staging i time")
	reWhereEn  = gated(`\b(?:house|flat|apartment|town|village|city|suburbs?|countryside|coast|island|mountains|farm|centre|center|outskirts|street|lane|road|station|park|river|lake|sea|beach|harbour|harbor|boat|campus|dorm|doors? down|block|studio|cottage|condo|area|district|neighbou?rhood|mum|mom|parents)\b`)
	reMonthEn  = gated(`(?i)^(?:january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|winter|q[1-4]|20\d\d|19\d\d)\b`)
)

// capitalIn reports whether a word of s begins with a capital.
func capitalIn(s string) bool {
	for w := range strings.FieldsSeq(s) {
		if capital(w) {
			return true
		}
	}
	return false
}

var reSettledEn = gated(`(?i)\b(?:now|these days|nowadays|since|currently|at the moment|for good|permanently)\b`)

// nowInEn is where somebody is by now, rather than for a visit.
func nowInEn(c *clause, o string) bool {
	return placeEn(c, o) && reSettledEn.match(c.low) && !c.ahead() && !rePassingNow.match(c.low) && !containsAny(c.low, "meeting", "call with", "holiday", "vacation", "trip")
}

var (
	reSettlingEn = gated(`(?i)\b(?:now|these days|nowadays|since|currently|at the moment|for good|permanently|moved|moving|settled|relocated|rent|rents|renting|rented|lease|leased|mortgage|liv(?:e|es|ing))\b`)
	reVisitEn    = gated(`(?i)\b(?:weekends?|nights?|holidays?|vacation|trip|visit(?:ing)?|hotel|airbnb|hostel|dinner|lunch|brunch|breakfast|drinks|coffee|tonight|party|meeting|conference|concert|for sale)\b`)
)

// homeEn is a home that somebody found, rather than where to stay on a trip.
func homeEn(c *clause, o string) bool { return placeEn(c, o) && !c.ahead() && !reVisitEn.match(c.low) }

// settledEn is the place alone, without what goes on there.
func settledEn(c *clause, o string) fact {
	for _, w := range [...]string{" and ", " to ", " where ", " which "} {
		o, _, _ = strings.Cut(o, w)
	}
	return placedEn(c, o)
}

// settlesEn is where somebody came to stay: one ends up anywhere, and finds places to eat.
func settlesEn(c *clause, o string) bool { return homeEn(c, o) && reSettlingEn.match(c.low) }

var reSiblingEn = gated(`(?i)\b(?:siblings?|child|children|kids?|brothers?|sisters?|daughters?|sons?|boys|girls|family|twins?|triplets|\w+ of (?:two|three|four|five|six|seven|eight|nine|ten))\b`)

func birthEn(c *clause, o string) bool { return reSiblingEn.match(c.vp) }

func placedEn(c *clause, o string) fact { return fact{object: place(c, o)} }

func employerEn(c *clause, o string) bool {
	low := strings.ToLower(o)
	return o != "" && (capitalIn(o) || reEmployerEn.match(low)) && !reDayNameEn.match(o) && !hasPrefixAny(low, "home", "it", "the moment", "night", "weekends") && !c.past
}

// reHiredEn tells of a job beside whom one is with.
var reHiredEn = gated(`(?i)\b(?:as an? [\p{L}]|as (?:the|their|its) |(?:in|on|with) (?:the|their|its) (?:[\p{L}-]+ ){0,2}(?:team|department|division|unit|practice|desk|group|branch|office)|(?:role|job|position|post|contract|salary|payroll|employee|employed|employer|work|working|engineer|manager|developer|consultant|analyst|nurse|designer|accountant|lawyer|intern)\b)`)

// reFirmEn are the words that companies are called by.
var reFirmEn = gated(`(?i)\b(?:inc|ltd|llc|gmbh|plc|corp|corporation|co|labs?|technologies|tech|software|systems|solutions|services|bank|banking|insurance|partners|associates|group|holdings|consulting|capital|ventures|rail|railways?|airlines?|airways|logistics|shipping|energy|electric|power|water|gas|telecom|mobile|media|press|news|games|studios|foods?|motors|pharma|pharmaceuticals|biotech|health|healthcare|nhs|trust|council|police|university|college|industries|engineering|construction|retail|stores|supermarkets?|hotels|foundation|institute)\b`)

// withEmployerEn is an employer whom somebody is with, by what it is called or what is said of the job: one is with
// friends, and with who is right, too.
func withEmployerEn(c *clause, o string) bool {
	return employerEn(c, o) && (reEmployerEn.match(o) || reFirmEn.match(o) || reHiredEn.match(c.text)) && !rePassingNow.match(c.low)
}

// employedEn is whom somebody works for, with the job where it is told.
func employedEn(c *clause, o string) fact {
	if i := strings.Index(o, " as "); i > 0 {
		o = o[:i]
	}
	return fact{object: place(c, o)}
}

func jobAtEn(c *clause, o string) fact {
	for _, at := range [...]string{" at ", " for ", " with ", " in "} {
		if i := strings.Index(o, at); i > 0 && capitalIn(o[i+len(at):]) {
			f := fact{object: o[:i]}
			if at != " in " {
				f.twin = &fact{pred: pWorksAt, object: place(c, o[i+len(at):])}
			}
			return f
		}
	}
	return fact{object: o}
}

// wholeEn takes all that is said as the value.
func wholeEn(c *clause, _ string) fact { return fact{object: objectOf(c, c.vp)} }

func managedEn(c *clause, o string) fact { return fact{object: firstName(o), qualifier: "manager"} }

// firstName is the name that s begins with.
func firstName(s string) string {
	words := strings.Fields(s)
	n := 0
	for n < len(words) && capital(words[n]) {
		n++
	}
	return strings.TrimRight(strings.Join(words[:n], " "), ",.")
}

// notAskedEn keeps out what is about this talk or this moment.
func notAskedEn(c *clause, o string) bool {
	low := strings.ToLower(o)
	return len(o) > 1 && !hasPrefixAny(low+" ", "the logs ", "the code ", "the docs ", "the error ", "the output ", "the answer ", "this ", "that ", "how ", "what ", "why ", "to ", "about ", "of ") && !rePassingNow.match(c.low)
}

var reRunnableEn = gated(`(?i)\b(?:team|group|department|dept|division|unit|lab|shop|store|caf[eé]|restaurant|bakery|company|project|studio|branch|office|programme|program|committee|board|club|society|school|clinic|ward|support|sales|marketing|operations|ops|payroll|billing|hiring|recruitment|onboarding|finance|fundraising|logistics|infrastructure|platform|frontend|backend|budget|warehouse|site|region|account|accounts|contracts?|designers?|engineers?|people|staff|developers|nurses|volunteers|module|service|newsletter|podcast|website|procurement|security|product|research|everything|business|farm|hotel|hostel|bar|gym|salon)\b`)

func runnableEn(c *clause, o string) bool {
	return reRunnableEn.match(o) && !c.past && !hasPrefixAny(strings.ToLower(o), "out ", "into ", "the tests", "tests", "the build", "on ", "a test", "a script", "the script", "to ", "late")
}

var reLanguageEn = gated(`(?i)\b(?:english|french|german|spanish|portuguese|italian|dutch|swedish|norwegian|danish|finnish|icelandic|polish|czech|slovak|hungarian|romanian|bulgarian|greek|turkish|russian|ukrainian|serbian|croatian|slovenian|albanian|arabic|hebrew|persian|farsi|urdu|hindi|bengali|punjabi|tamil|telugu|marathi|gujarati|malayalam|kannada|sinhala|nepali|thai|lao|khmer|vietnamese|malay|indonesian|tagalog|filipino|japanese|korean|mandarin|cantonese|chinese|hokkien|hakka|mongolian|tibetan|swahili|amharic|yoruba|igbo|hausa|zulu|xhosa|afrikaans|somali|welsh|irish|gaelic|basque|catalan|galician|latin|esperanto|sign language|bsl|asl|quechua|maori|hawaiian|latvian|lithuanian|estonian|georgian|armenian|kazakh|uzbek|pashto|kurdish|wolof|creole|yiddish|luxembourgish|maltese|flemish|scots)\b`)

func languageEn(c *clause, o string) bool {
	return reLanguageEn.match(o) && len(strings.Fields(o)) <= 10
}

// languagedEn is the language of what is said of one, with how well it is known.
func languagedEn(c *clause, o string) fact { return fact{object: o} }

// reConditionEn are names of illnesses and of what one is born with: by their endings, and those without such a one.
var reConditionEn = gated(`(?i)\b(?:[\p{L}-]+(?:itis|osis|emia|aemia|algia|pathy|phobia|plegia|oma|asthenia|uria|ectomy)|diabet(?:es|ic)|asthma(?:tic)?|epilep(?:sy|tic)|migraines?|headaches|eczema|celiac|coeliac|crohn'?s|ibs|pcos|ocd|ptsd|adhd|add|autis(?:m|tic)|dyslexi[ac]|dyspraxi[ac]|dyscalculi[ac]|tinnitus|vertigo|scoliosis|hernia|reflux|gerd|gout|lupus|psoriasis|apnea|apnoea|sciatica|shingles|hay ?fever|panic attacks|flare-ups|anxiety|depress(?:ion|ed)|insomnia|cancer|hypertension|hypotension|high blood pressure|low blood pressure|high cholesterol|cholesterol|arrhythmia|heart (?:condition|murmur|disease|failure)|kidney stones|ulcers?|hypothyroid(?:ism)?|hyperthyroid(?:ism)?|hashimoto'?s|parkinson'?s|alzheimer'?s|dementia|ms|multiple sclerosis|cerebral palsy|down'?s syndrome|tourette'?s|bipolar|schizophrenia|colou?r[- ]?blind(?:ness)?|short-?sighted|near-?sighted|far-?sighted|long-?sighted|hard of hearing|deaf|blind|left-handed|an?emic|pregnant|immunocompromised|menopause|endometriosis|fibromyalgia|slipped disc|herniated disc|carpal tunnel|tennis elbow|rsi|tendinitis|back pain|knee pain|chronic pain|long covid|nosebleeds?|car sick(?:ness)?|seasick(?:ness)?|motion sickness|claustrophobic|stutter|stammer|astigmatism|glaucoma|cataracts?|sleepwalk|raynaud'?s|rosacea|pots|me/cfs|chronic fatigue|hemophilia|haemophilia|sickle cell|thalassemia|burnout)\b`)

// conditionedEn is the word for what one is.
func conditionedEn(c *clause, o string) fact { return fact{object: reConditionEn.first(o)} }

// diagnosedEn is what was found, without when.
func diagnosedEn(c *clause, o string) fact { return fact{object: place(c, o)} }

func conditionEn(c *clause, o string) bool {
	m := reConditionEn.findIndex(o)
	return m != nil && headsEn(o[:m[0]], o[m[1]:]) && !rePassingNow.match(c.low) && !containsAny(strings.ToLower(o), "awareness", "the build", "deaf ears", "blind spot", "blind date")
}

var (
	// reBesideEn leads from what somebody has to what that is about, or whose.
	reBesideEn = gated(`(?i)^to |\b(?:about|on|with|for|against|who|whose|over|into|regarding|concerning|between|of)\b`)
	// reBoutEn is an amount or a course of an illness, which is that illness.
	reBoutEn    = gated(`(?i)\b(?:(?:case|cases|history|touch|bits?|lots?|forms?|kind|type|sort|bouts?|episodes?|attacks?|fits?|symptoms|stages?|amount|spell|spells|deal|signs) of|(?:trouble|problems?|issues?|struggles?|battles?|bouts?|difficult(?:y|ies)) with|on the)\b`)
	afterIllsEn = wordSet("and or but in on off at since from to when whenever for with as because now too though although again all most every some sometimes after before during while so by if until till last this these that which i my quite pretty really half right just also like than around over under no not once twice several a the symptoms attack attacks episodes flare-ups flares spectrum disorder disease diagnosis")
)

// headsEn reports whether the illness between before and after is what somebody has, and not what a thing or a person of
// theirs is about: "an essay about depression", "a friend with diabetes", "a cancer screening".
func headsEn(before, after string) bool {
	if reBesideEn.match(reBoutEn.replace(before, "")) {
		return false
	}
	next := strings.ToLower(firstWord(strings.TrimSpace(after)))
	word := strings.TrimRight(next, ",.;:!")
	return word == "" || strings.ContainsAny(after[:1], ",.;:(-–—") || strings.HasSuffix(word, "ly") || word[0] >= '0' && word[0] <= '9' || afterIllsEn[word]
}

// reSubstanceEn are what bodies react to, beside what is eaten and what is taken.
var reSubstanceEn = gated(`(?i)\b(?:pollens?|grass(?:es)?|ragweed|birch|hay|dust|mites?|mou?lds?|cats?|dogs?|horses?|rabbits?|hamsters?|guinea pigs|fur|hair|feathers?|down|dander|wool|nickel|cobalt|chrome|metals?|gold|silver|copper|latex|rubber|plastics?|perfumes?|fragrances?|scents?|detergents?|washing powder|soaps?|shampoos?|conditioner|hairspray|hair dye|dyes?|sun ?screen|sun|sunlight|uv|chlorine|bleach|cleaning products|formaldehyde|smoke|bees?|wasps?|hornets?|ants|stings?|(?:insect|mosquito|flea|spider|bug) bites?|mosquito(?:es)?|jellyfish|poison (?:ivy|oak)|penicillins?|amoxicillin|sulfa|codeine|morphine|opioids|an?aesthetics?|contrast|iodine|plasters|adhesives?|vaccines?|nsaids|lactose|fructose|gluten|histamines?|sulphites?|sulfites?|additives|preservatives|colou?rings?|aspartame|yeast|lupin|mustard|cinnamon|nightshades?|make-?up|cosmetics|lanolin|retinol|essential oils?)\b`)

var (
	reSymptomEn = gated(`(?i)\b(?:hives|rash(?:es)?|spots|welts|blisters|bumps|blotch(?:es)?|itch\w*|eczema|swell(?:s|ing)?|swelled|swollen|wheez\w+|reaction)\b`)
	reExposedEn = gated(`(?i)\b(?:eat|ate|eating|drink|drank|drinking|touch(?:ed|ing)?|wear|wore|wearing|use|used|using|stung|bitten|near|contact|exposed)\b`)
	reOutOfEn   = gated(`(?i)\b(?:from|off|after) `)
)

// reactsEn is what a body reacts to: a substance, or whatever brings out a symptom. One is sensitive to criticism, and
// reacts badly to surprises, without any.
func reactsEn(c *clause, o string) bool {
	return notAskedEn(c, o) && (reSubstanceEn.match(o) || reEdibleEn.match(o) || reMedicineEn.match(o) || reSymptomEn.match(c.vp) && (reExposedEn.match(o) || reOutOfEn.match(c.vp)))
}

var reBodyEn = gated(`(?i)\b(?:ankles?|wrists?|arms?|legs?|hips?|knees?|shoulders?|elbows?|backs?|necks?|foot|feet|hands?|fingers?|thumb|toes?|ribs?|collarbone|achilles|acl|meniscus|hamstring|calf|rotator cuff|ligaments?|tendons?|tooth|teeth|jaw|nose|skull|spine|disc|eyes?|ears?|hearing|heart|lungs?|kidneys?|liver|stomach|gut|appendix|gallbladder|tonsils|pelvis|muscle|eyesight|vision|seeing|breathing|sleeping|walking|smell)\b`)

func bodyEn(c *clause, o string) bool {
	return reBodyEn.match(c.vp) && !rePassingNow.match(c.low) && !containsAny(c.low, "heart set", "on my nerves", "my heart", "hand in hand", "on the other hand")
}

var reMedicineEn = gated(`(?i)\b(?:[\p{L}]+(?:pril|sartan|statin|olol|azole|mycin|cillin|pine|formin|oxetine|prazole|parin|zepam|triptan|lukast|terol|thyroxine|gabalin|fenac|mab|vir)|metformin|insulin|warfarin|ibuprofen|paracetamol|aspirin|lithium|ritalin|adderall|vyvanse|prednisone|antihistamines?|antibiotics|statins?|beta[- ]blockers?|blood thinners?|antidepressants?|ssris?|steroids?|medication|meds|pills?|tablets|supplements?|vitamin [a-k]\d*|iron|magnesium|omega-3|melatonin|hrt|the pill|birth control|iud|immunosuppressants?|chemo(?:therapy)?|dialysis|physio(?:therapy)?|inhaler|epi-?pen|hearing aids?|glasses|contacts|contact lenses|insulin pump|pump|cpap|braces?|pacemaker|prosthetic|wheelchair|cane|walker|crutches|orthotics|insoles|stoma|catheter|retainer|knee brace|mouthguard|therapist|psychiatrist|chiropractor|dietitian|cardiologist|dermatologist|\d+ ?(?:mg|mcg|µg|iu))\b`)

func medicineEn(c *clause, o string) bool {
	return reMedicineEn.match(o+" "+c.vp) && len(strings.Fields(o)) <= 12 && !rePassingNow.match(c.low) && !containsAny(strings.ToLower(o), "photo", "note", "picture", "look", "bitter pill")
}

var reDietEn = gated(`(?i)\b(?:vegan|vegetarian|veggie|pescatarian|flexitarian|halal|kosher|keto|paleo|gluten[- ]free|dairy[- ]free|lactose[- ]free|sugar[- ]free|meat[- ]free|nut[- ]free|low[- ]carb|low[- ]sodium|low[- ]salt|low[- ]fodmap|fodmap|mediterranean|plant[- ]based|teetotal|sober|carnivore|whole30|intermittent|raw food|macrobiotic|jain|pure veg|high[- ]protein|diabetic diet|elimination)\b`)

func dietEn(c *clause, o string) bool {
	return reDietEn.match(o+" "+c.vp) && len(strings.Fields(c.vp)) <= 14 && !containsAny(strings.ToLower(o), "recipe", "restaurant", "menu", "cookbook", "option", "place", "caf")
}

// reEdibleEn are heads of what is eaten, drunk and smoked.
var reEdibleEn = gated(`(?i)\b(?:meats?|beef|pork|lamb|chicken|poultry|turkey|fish|seafood|shellfish|shrimps?|prawns?|crab|oysters?|sushi|eggs?|dairy|milk|cheese|yoghurt|yogurt|butter|cream|ice cream|gluten|wheat|bread|pasta|rice|noodles|oats|porridge|cereal|nuts?|peanuts?|almonds|cashews?|walnuts|hazelnuts|sesame|soy|tofu|beans|lentils|legumes|mushrooms?|onions?|garlic|tomato(?:es)?|potato(?:es)?|peppers?|aubergines?|eggplants?|cilantro|coriander|celery|kiwi|mango(?:es)?|strawberr(?:y|ies)|bananas?|apples?|fruits?|citrus|grapefruit|pineapple|avocados?|vegetables|salads?|sugar|sweets|chocolate|candy|desserts?|cakes?|biscuits|cookies|pastr(?:y|ies)|salt|spic(?:y|es)|chil+i(?:es)?|oil|fried|fast food|junk food|takeaways?|snacks?|carbs|msg|honey|alcohol|beer|wine|spirits|whisky|whiskey|gin|vodka|rum|coffee|decaf|caffeine|espressos?|lattes?|cappuccinos?|teas?|matcha|rooibos|kombucha|soda|coke|cola|diet coke|juice|water|energy drinks|red bull|soft drinks|fizzy|smoothies?|cigarettes?|smoking|tobacco|vaping|nicotine|cigars?|weed|cannabis|snus|drinking|breakfast|lunch|dinner|supper|soup|curry|kimchi|hummus|pizza|burgers?|dumplings|liver|offal|tuna|salmon|anchovies|olives|pickles|mayo|ketchup|soy sauce|artificial sweeteners|sweeteners|processed food|ultra-processed|food after|maté|mate)\b`)

func edibleEn(c *clause, o string) bool {
	return o != "" && (reEdibleEn.match(o) || c.sub.kind == subjSelf && reEdibleEn.match(c.vp)) && len(strings.Fields(o)) <= 10 && !rePassingNow.match(c.low)
}

// avoidedEn is what somebody does not eat or drink. What was given up was had until then.
func avoidedEn(c *clause, o string) fact {
	c.negated, o = true, place(c, o)
	if hasPrefixAny(c.vpLow, "give", "gave", "quit", "cut", "gone off", "went off", "swore", "kick", "ditch", "am done", "stop", "go off", "am off", "have given", "have cut", "have gone") || containsAny(c.low, "any more", "anymore", "no longer") {
		c.ended = true
	}
	return fact{object: o, negated: true, qualifier: bareTaste(strings.TrimPrefix(o, "any "))}
}

func tastedEn(c *clause, o string) bool {
	low := strings.ToLower(o)
	return len(o) > 1 && len(strings.Fields(o)) <= 14 && !(c.sub.kind != subjSelf && hasPrefixAny(c.vpLow, "support", "follow")) && !containsAny(low, "your ", "how you", "the way you", "to know", "to see you", "to hear", "to ask", "to help", "this ", "that one") && !hasPrefixAny(low, "the answer", "the idea", "the result", "the output", "the new version", "if ", "when you", "it ") && !rePassingNow.match(c.low)
}

func bareEn(c *clause, o string) fact {
	o = bareTaste(o)
	if i := strings.Index(o, " over "); i > 0 {
		o = o[:i]
	}
	if i := strings.Index(o, " than "); i > 0 {
		o = o[:i]
	}
	return fact{object: o, qualifier: o}
}

func doingEn(c *clause, o string) bool {
	low := strings.ToLower(o)
	return !rePassingNow.match(c.low) && !hasPrefixAny(low+" ", "the logs ", "the code ", "the docs ", "the error ", "the output ", "the answer ", "this ", "that ", "it ", "what ", "a way ", "something ", "the tests ", "tests ") && !containsAny(c.low, "why ", "how to fix")
}

var rePlanDeedEn = gated(`(?i)^(?:say|know|ask|see|be sure|understand|check|make sure|clarify|mention|add|tell you|thank|point out|get an? (?:idea|sense|feel)|hear|figure|find out|try this|share|show you|compare|learn about)\b`)

func plannedEn(c *clause, o string) bool {
	low := strings.ToLower(o)
	if c.past || c.negated || hasPrefixAny(c.low, "we had ", "i had ") || rePlanDeedEn.match(low) || len(strings.Fields(o)) < 1 || containsAny(low, "you to", "your ") {
		return false
	}
	switch firstWord(c.vpLow) {
	case "book", "reserve", "have", "get", "got", "booked", "reserved", "register", "registered", "sign", "signed", "owe", "promise", "promised":
		return c.ahead() || hasPrefixAny(c.vpLow, "promise", "owe", "have promised") || containsAny(c.vpLow, "tickets", "seats")
	case "want", "wish", "expect":
		return c.ahead() || containsAny(c.low, "someday", "one day", "some day", "eventually", "this year", "next year", "at some point")
	}
	return true
}

func plansEn(c *clause, _ string) fact { return fact{object: objectOf(c, c.vp), expires: true} }

func ownableEn(c *clause, o string) bool {
	low := strings.ToLower(o)
	return len(o) > 2 && !hasPrefixAny(low, notOwnedEn...) && len(strings.Fields(o)) <= 12 && !containsAny(low, "mistake", "problem", "forgetting", "getting", "failing", "eye on", "track of", "secret", "quiet", "dust", "an email", "the error", "the same") && !hasPrefixAny(low, "going", "in mind", "doing", "trying", "thinking", "up", "at ", "me ", "the idea", "the approach")
}

func toolEn(c *clause, o string) bool {
	low := strings.ToLower(o)
	if o == "" || rePassingNow.match(c.low) || len(strings.Fields(o)) > 10 || reDayNameEn.match(o) || reMonthEn.match(o) {
		return false
	}
	return specific(o) || capitalIn(o) || reGearEn.match(low+" "+c.vpLow)
}

// reGearEn are things that one uses, without a name of their own.
var reGearEn = gated(`\b(?:glasses|contacts|bikes?|bicycles?|car|van|scooter|motorbike|train|bus|tram|metro|subway|foot|ferry|guitar|banjo|piano|violin|cello|ukulele|drums|saxophone|trumpet|flute|bass|harp|clarinet|viola|accordion|keyboard|harmonica|spreadsheets?|notebook|paper|pen|fountain pen|planner|calendar|pomodoro|vpn|tablet|laptop|desktop|standing desk|kindle|e-reader|headphones|cash|credit card|password manager|dark mode|tabs|spaces|vim|emacs|linux|tmux|zsh|fish|git|grpc|graphql|postgres|redis|docker|kubernetes|public transport)\b`)

func droppedEn(c *clause, o string) fact { c.ended = true; return fact{object: o, negated: true} }

func skillEn(c *clause, o string) bool {
	low := strings.ToLower(o)
	return (capitalIn(o) || reSkillEn.match(low+" "+c.vpLow)) && len(strings.Fields(o)) <= 8 && !reDayNameEn.match(o) && !hasPrefixAny(low, "that", "what", "how", "you", "it", "about", "this", "a lot", "nothing", "the answer", "i ")
}

var reSkillEn = gated(`\b(?:sql|html|css|python|rust|java|excel|photoshop|calculus|statistics|chess|maths?|algebra|physics|chemistry|cooking|coding|programming|design|welding|carpentry|plumbing|swim|drive|ski|sing|knit|sew|morse|braille|first aid|cpr|photography|networking|linux|spreadsheets|public speaking|directions|names|faces|numbers)\b`)

func decidedEn(c *clause, o string) bool {
	low := strings.ToLower(o)
	return len(strings.Fields(o)) >= 1 && !hasPrefixAny(low+" ", "it ", "that ", "you ", "this ", "the flow ", "me ") && !c.negated && !rePassingNow.match(c.low) && (c.sub.kind == subjGroup || hasPrefixAny(c.vpLow, "have decided", "decided", "settled", "went with", "opted", "am going with", "have settled", "agreed", "changed", "have changed"))
}
