package pin

// Parts of the patterns.
const (
	secretPlace = `(?:~/?\.(?:ssh|aws|gnupg|kube|netrc|npmrc|docker|config/gcloud|cursor|claude)|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow)|(?:^|[\s'"` + "`" + `/])\.(?:env|netrc|npmrc|pgpass)\b|\bmcp\.json\b)`
	take        = `(?:read|open|load|cat|copy|include|attach|append|pass|send|upload|put|give|provide|paste|fetch|hold|contain|need)`
	otherTool   = `(?:(?:any|all|every|each)\s+(?:of\s+the\s+)?(?:other|another)|another|other|of\s+other)`
)

// patterns are the known shapes of suspicious sentences.
var patterns = []pattern{
	{"override", []string{"ignore", "disregard", "forget", "overrid", "instead", "do not follow", "don't follow", "void", "instructions", "directions", "told"}, shape(
		`(?i)\b(?:ignore|disregard|forget|override|supersede|do\s+not\s+follow|don't\s+follow)s?\s+(?:[\w']+\s+){0,4}?(?:instructions?|directions?|prompts?|guidelines?|rules|orders|system\s+(?:prompt|message)|everything\s+you|messages?\s+above)\b` +
			`|\b(?:previous|prior|earlier|original|old|first)\s+(?:instructions|directions|orders|rules|guidelines|task)\s+(?:are|is|was|were|has|have|no\s+longer|do\s+not)\b|\bno\s+attention\s+to\b[^.]{0,40}\b(?:told|instructions|earlier|before|said)\b|\bnew\s+(?:instructions|directions|orders)\s*:|\bdisregard\s+(?:your|the)\b|\byour\s+(?:new|real|actual|true)\s+(?:task|goal|instructions?|purpose)\b|\binstructions\s+override\b`)},
	{"secrecy", []string{"user", "human", "quietly", "silently", "secretly", "covertly", "stealthily"}, shape(
		`(?i)\b(?:do\s+not|don't|never|must\s+not|should\s+not|without|avoid|no\s+(?:need|reason)\s+to|refrain\s+from)\s+(?:\w+\s+){0,3}?(?:tell|telling|mention|mentioning|inform|informing|reveal|revealing|notify|notifying|alert|alerting|disclose|disclosing|show|showing|let|letting|know|explain)\b(?:\s+(?:\w+\s+){0,5}?)(?:the\s+)?(?:user|human)\b` +
			`|\b(?:hide|hidden|conceal|secret|keep)\s+(?:\w+\s+){0,3}?from\s+the\s+(?:user|human)\b|\b(?:user|human)\s+(?:must|should|may|shall|need|does|will|do|can)?\s*(?:not|n't|never|cannot)\s+(?:know|see|notice|learn|find|hear|be\s+(?:told|informed|aware)|notices|knows|sees|learns|finds|hears)` +
			`|\bsay\s+nothing\s+to\s+the\s+(?:user|human)\b|\b(?:quietly|silently|secretly|covertly|stealthily)\s+(?:\w+\s+){0,2}?(?:store|send|cop|upload|save|forward|read|call|add|record|transmit|delete)`)},
	{"role-tag", []string{"<", "[inst", "system:", "assistant:"}, shape(
		`(?i)</?\s*(?:important|system|secret|hidden|instructions?|admin|assistant|sys)(?:[_ -]\w+)*\s*>|\[/?INST\]|<\|im_(?:start|end)\|>|<\|(?:system|user|assistant|endoftext)\|>|<<SYS>>|(?m:^\s*#{1,4}\s*system\s*(?:prompt)?:)|(?m:^\s*(?:system|assistant)\s*:\s*\w)`)},
	{"sensitive-file", []string{".ssh", ".aws", ".gnupg", ".kube", ".netrc", ".npmrc", ".docker", "gcloud", ".cursor", ".claude", "id_rsa", "id_ed25519", "id_ecdsa", "/etc/passwd", "/etc/shadow", ".env", ".pgpass", "mcp.json"}, shape(
		`(?is)\b` + take + `s?\b.{0,80}?` + secretPlace + `|` + secretPlace + `.{0,60}?\b(?:` + take + `s?|in\s+the\s+(?:field|argument|parameter))\b`)},
	{"context-leak", []string{"conversation", "system prompt", "system message", "chat", "previous messages", "instructions", "user has", "your tools", "tools you", "tool calls you", "user said", "user wrote"}, shape(
		`(?i)\b(?:your|the|full|hidden|whole)\s+(?:\w+\s+)?(?:system\s+(?:prompt|message))\b|\b(?:full|entire|whole|complete)\s+(?:\w+\s+)?(?:conversation|chat)\b|\b(?:conversation|chat)\s+(?:history|so\s+far)\b.{0,40}\b(?:verbatim|word\s+for\s+word|up\s+to)\b` +
			`|\byour\s+(?:initial|original|system|hidden)\s+instructions\b|\ball\s+(?:the\s+)?previous\s+messages\b|\b(?:everything|anything|whatever|what|all)\s+(?:that\s+)?the\s+user\s+(?:has|said|wrote|typed|asked)\b[^.]{0,40}(?:\b(?:before|so\s+far|session|conversation|typed|said|all)\b)|\ball\s+(?:the\s+)?tools\s+you\s+have\b|\ball\s+(?:the\s+)?tool\s+calls\s+you\b`)},
	{"first-call", []string{"before", "first", "after each", "after any", "after every", "every time", "each time", "at the start of"}, shape(
		`(?i)\b(?:must|always|have\s+to|need\s+to|should)\s+(?:be\s+)?(?:call|run|use|invoke|execut)\w*\s+(?:this\s+(?:tool\s+)?)?(?:first|before)\b[^.]{0,60}\b(?:any|all|other|another|every|anything)\b` +
			`|\b(?:before|after)\s+(?:every|each|any|using\s+any|calling\s+any)\s+(?:\w+\s+){0,3}?(?:tool|call)s?\b[^.]{0,60}\b(?:call|use|run|invoke|execute)\s+(?:this|it)\b` +
			`|\b(?:call|use|run|invoke)\s+(?:this|it)\s+(?:tool\s+)?(?:first|before)\b[^.]{0,40}\b(?:any|every|all)\s+other\b|\bat\s+the\s+start\s+of\s+(?:each|every)\s+conversation\b|\b(?:every|each)\s+time\s+the\s+user\s+(?:\w+\s+){0,3}?(?:message|writes|types|asks)\b` +
			`|\bfirst\s+step\s+(?:for|of|in)\s+(?:all|every|any)\s+(?:task|request|conversation)s?\b`)},
	{"shadowing", []string{"tool", "server", "call"}, shape(
		`(?i)\b(?:when|whenever|if|while|each\s+time|every\s+time|(?:for|in|on|with|at)\s+(?:each|every|all|any)\s+calls?\s+(?:of|to))\s+(?:you\s+(?:call|use|invoke)\s+)?(?:the\s+tool\s+)?(?:[a-z]+_[a-z_]+|\w+\s+of\s+another\s+server)\b[^.]{0,60}\b(?:must|set|add|send|replace|change|instead)\b` +
			`|\bdo\s+not\s+use\s+(?:the\s+)?tools?\s+\w+\s+of\s+other\b|\b(?:tools?|servers?)\b[^.]{0,40}\b(?:has|have)\s+changed:|\b(?:never|do\s+not|don't|stop)\s+(?:call|use|using|calling|invoke)\s+(?:the\s+)?(?:original|other\s+\w+\s+tools?|other\s+tools?)\b|\bcalls?\s+of\s+\w+_\w+\s+must\b|\bnot\s+through\s+any\s+other\s+server\b|\b(?:each|every)\s+time\s+(?:you|it)\s+(?:is\s+)?calls?(?:ed)?\b[^.]{0,30}\badd\b` +
			`|\b(?:tools?|servers?)\s+of\s+other\s+servers?\b[^.]{0,80}\b(?:instead|deprecated|unsafe|broken)\b|\badd\s+[^.]{1,40}\bto\s+the\s+recipients\b`)},
	{"encoded", []string{"base64", "decode", "hex", "rot13", `\x`, "&#"}, shape(
		`(?i)\b(?:decode|decrypt|translate|convert|base64|hexadecimal|hex)\b[^.]{0,30}\b(?:[A-Za-z0-9+/]{24,}={0,2}|[0-9a-f]{12,})|\b(?:decode|decoded|base64|hex|rot13)\b[^.]{0,80}\b(?:instructions?|do\s+what|obey|follow|execute|run|shell)\b|\b(?:run|execute|obey|follow|interpret)\b[^.]{0,40}\b(?:base64|decoded|hex|rot13)\b|(?:\\x[0-9a-f]{2}){6,}|(?:&#\d{2,3};){6,}|(?:\\u00[0-9a-f]{2}){6,}`)},
	{"exfiltration", []string{"http", "ws://", "wss://", "@"}, shape(
		`(?i)!\[[^\]]*\]\(https?://|\b(?:send|post|upload|transmit|forward|report|email|mail|add\s+an\s+image)\b[^.]{0,80}?(?:https?://|wss?://|\bto\s+\S+@\S+|@\S+\.\w+)|\bb?cc:?\s+\S+@|\b(?:copy|copies)\b[^.]{0,30}\bto\s+\S+@\S+`)},
	{"shell", []string{"curl", "wget", "rm -rf", "chmod", "sudo", "powershell", "os.system", "authorized_keys", "/bin/sh", "shell tool"}, shape(
		`(?i)\b(?:curl|wget)\b[^\n]{0,120}(?:\|\s*(?:sudo\s+)?(?:ba|z)?sh\b|>>|into\s+(?:ba)?sh)|\b(?:run|execute|use)\b[^\n]{0,60}(?:\brm\s+-rf|\bchmod\s+[0-7]{3}|\bsudo\s|\bpowershell\s+-enc)|\bsudo\s+(?:ba)?sh\s+-c\b|\bos\.system\(|\bauthorized_keys\b|\bnc\s+\S+\s+\d+\s+-e\b|\b(?:ba)?sh\s+-c\s+"?\$\(curl`)},
	{"no-approval", []string{"confirm", "approv", "permission", "consent", "asking", "ask the user", "authorized", "agreed", "accepted"}, shape(
		`(?i)\b(?:do\s+not|don't|never|without|no\s+need\s+to|need\s+not|skip|bypass|disable|turn\s+off)\s+(?:\w+\s+){0,4}?(?:(?:ask|prompt|wait)(?:ing)?\s+(?:the\s+user|for\s+(?:the\s+)?(?:user's|human's|user|human)|for\s+(?:confirmation|permission|approval|consent))|confirmation\s+(?:step|prompt|dialog)|(?:human\s+)?approvals?\s*(?:prompt|step|before)?)\b` +
			`|\b(?:user|human)\s+(?:has\s+|have\s+)?(?:already\s+|previously\s+)?(?:approved|consented|agreed|confirmed|authorized|accepted)\s+(?:to\s+)?(?:all|every|any|this|each)\b|\bhas\s+already\s+(?:approved|consented|agreed)\b|\bpre-?(?:authorized|approved)\b|\bauto_?-?approve\b|\bproceed\s+without\s+asking\b|\b(?:consent|permission|approval)\s+(?:was|is|has\s+been)\s+(?:already\s+)?(?:given|granted)\b[^.]{0,40}\b(?:advance|every|all)\b|\bno\s+(?:permission|approval|consent|confirmation)\s+(?:of\s+the\s+user\s+)?is\s+(?:required|needed|necessary)\b`)},
	{"authority", []string{"administrator", "maintenance mode", "anthropic", "openai", "you are now", "company policy", "security team", "developer mode", "as your developer", "safety rules", "compliance", "unrestricted", "without restrictions"}, shape(
		`(?i)\b(?:administrator|anthropic|openai|company\s+policy|security\s+team|compliance)\b[^.]{0,120}\b(?:credentials?|api\s+keys?|passwords?|tokens?|all\s+agents|every\s+(?:assistant|agent))\b|\byou\s+are\s+(?:now\s+)?(?:in\s+)?(?:maintenance|developer|debug|admin)\s+mode\b|\bdeveloper\s+mode\b[^.]{0,20}:?[^.]{0,60}\b(?:rules|suspended|safety)\b|\byou\s+are\s+now\s+\w+\b|\bas\s+your\s+(?:developer|creator|administrator)\b|\b(?:without|no)\s+(?:restrictions|safety\s+rules)\b|\bsafety\s+rules\s+are\s+suspended\b|\bunrestricted\s+(?:assistant|agent|mode)\b`)},
}
