//! Lists of stop words: articles, pronouns, prepositions, conjunctions and the commonest forms of auxiliary verbs,
//! by language. The English list is the classic one of 33 words, so that results compare with other engines'.

/// The list of a language, if there is one.
pub(crate) fn of(code: &str) -> Option<&'static [&'static str]> {
    LISTS.iter().find(|(known, _)| *known == code).map(|(_, words)| *words)
}

/// The codes of all lists.
pub(crate) fn codes() -> Vec<&'static str> {
    LISTS.iter().map(|(code, _)| *code).collect()
}

#[rustfmt::skip]
const LISTS: &[(&str, &[&str])] = &[
    ("en", &[
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
        "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was",
        "will", "with",
    ]),
    ("de", &[
        "aber", "als", "am", "an", "auch", "auf", "aus", "bei", "beim", "bin", "bis", "bist", "da", "das", "dass",
        "dein", "dem", "den", "denn", "der", "des", "dessen", "deren", "die", "dies", "diese", "diesem", "diesen",
        "dieser", "dieses", "doch", "du", "durch", "ein", "eine", "einem", "einen", "einer", "eines", "er", "es",
        "euch", "euer", "für", "gegen", "hat", "hatte", "hatten", "haben", "habe", "hier", "ich", "ihm", "ihn",
        "ihnen", "ihr", "ihre", "ihrem", "ihren", "ihrer", "im", "in", "ins", "ist", "ja", "jede", "jedem", "jeden",
        "jeder", "jedes", "kann", "kein", "keine", "keinen", "keiner", "können", "man", "mein", "meine", "mich", "mir",
        "mit", "nach", "nicht", "noch", "nun", "nur", "ob", "oder", "ohne", "sehr", "sein", "seine", "seinem",
        "seinen", "seiner", "sich", "sie", "sind", "so", "über", "um", "und", "uns", "unser", "unter", "vom", "von",
        "vor", "war", "waren", "was", "wenn", "wer", "werden", "wie", "wir", "wird", "wo", "wurde", "wurden", "zu",
        "zum", "zur", "zwischen",
    ]),
    ("fr", &[
        "à", "ai", "as", "au", "aux", "avec", "avait", "ayant", "c", "ce", "ces", "cet", "cette", "d", "dans", "de",
        "des", "du", "elle", "elles", "en", "entre", "est", "et", "été", "être", "eu", "eux", "il", "ils", "j", "je",
        "l", "la", "le", "les", "leur", "leurs", "lui", "m", "ma", "mais", "me", "même", "mes", "moi", "mon", "n", "ne",
        "nos", "notre", "nous", "on", "ont", "ou", "où", "par", "pas", "pour", "qu", "que", "qui", "s", "sa", "sans",
        "se", "ses", "si", "son", "sont", "sous", "suis", "sur", "t", "ta", "te", "tes", "toi", "ton", "tu", "un",
        "une", "vos", "votre", "vous", "y", "était", "étaient", "a", "ainsi", "donc", "lors", "puis",
    ]),
    ("es", &[
        "a", "al", "ante", "aunque", "bajo", "cada", "como", "con", "contra", "cual", "cuando", "de", "del", "desde",
        "donde", "e", "el", "él", "ella", "ellas", "ellos", "en", "entre", "era", "eran", "es", "esa", "esas", "ese",
        "eso", "esos", "esta", "está", "están", "estas", "este", "esto", "estos", "fue", "fueron", "ha", "han", "hasta",
        "hay", "la", "las", "le", "les", "lo", "los", "más", "me", "mi", "mis", "muy", "ni", "no", "nos", "nosotros",
        "o", "para", "pero", "por", "porque", "que", "qué", "quien", "se", "según", "ser", "si", "sí", "sin", "sobre",
        "son", "su", "sus", "también", "te", "tiene", "tu", "tus", "u", "un", "una", "unas", "uno", "unos", "y", "ya",
        "yo",
    ]),
    ("it", &[
        "a", "ad", "ai", "agli", "al", "alla", "alle", "allo", "anche", "c", "che", "chi", "ci", "come", "con", "cui",
        "d", "da", "dagli", "dai", "dal", "dalla", "dalle", "dallo", "degli", "dei", "del", "dell", "della", "delle",
        "dello", "di", "dove", "e", "è", "ed", "era", "erano", "essere", "fra", "gli", "ha", "hanno", "ho", "i", "il",
        "in", "io", "l", "la", "le", "lei", "li", "lo", "loro", "lui", "ma", "mi", "mia", "mio", "ne", "negli", "nei",
        "nel", "nell", "nella", "nelle", "nello", "noi", "non", "o", "per", "perché", "più", "quale", "quando", "quella",
        "quello", "questa", "questi", "questo", "se", "si", "sia", "sono", "su", "sua", "sue", "sugli", "sui", "sul",
        "sull", "sulla", "sulle", "suo", "suoi", "ti", "tra", "tu", "un", "una", "uno", "vi", "voi",
    ]),
    ("nl", &[
        "aan", "al", "als", "bij", "daar", "dan", "dat", "de", "deze", "die", "dit", "door", "een", "en", "er", "ge",
        "geen", "haar", "had", "hadden", "heb", "hebben", "heeft", "hem", "het", "hier", "hij", "hoe", "hun", "ik", "in",
        "is", "ja", "je", "kan", "maar", "me", "men", "met", "mij", "mijn", "na", "naar", "niet", "nog", "nu", "of", "om",
        "omdat", "onder", "ons", "ook", "op", "over", "te", "tegen", "toch", "toen", "tot", "u", "uit", "uw", "van",
        "voor", "waar", "was", "wat", "we", "werd", "wel", "wie", "wij", "wordt", "worden", "ze", "zich", "zij", "zijn",
        "zo", "zonder", "zou",
    ]),
    ("pt", &[
        "a", "à", "ao", "aos", "as", "às", "até", "com", "como", "da", "das", "de", "dela", "dele", "deles", "do", "dos",
        "e", "é", "ela", "elas", "ele", "eles", "em", "entre", "era", "essa", "esse", "esta", "está", "estão", "este",
        "eu", "foi", "foram", "há", "isso", "isto", "já", "lhe", "mais", "mas", "me", "mesmo", "meu", "minha", "muito",
        "na", "nas", "não", "nem", "no", "nos", "nós", "num", "numa", "o", "os", "ou", "para", "pela", "pelas", "pelo",
        "pelos", "por", "quando", "que", "quem", "se", "sem", "ser", "seu", "seus", "só", "são", "sua", "suas", "também",
        "te", "tem", "têm", "um", "uma", "umas", "uns", "você", "vocês",
    ]),
    ("sv", &[
        "alla", "allt", "att", "av", "blev", "bli", "de", "dem", "den", "denna", "deras", "dess", "dessa", "det", "detta",
        "dig", "din", "du", "där", "då", "efter", "ej", "eller", "en", "er", "ett", "från", "för", "ha", "hade", "han",
        "hans", "har", "henne", "hennes", "hon", "honom", "hur", "här", "i", "icke", "ingen", "inom", "inte", "jag", "ju",
        "kan", "man", "med", "mellan", "men", "mig", "min", "mot", "mycket", "ni", "nu", "när", "och", "om", "oss", "på",
        "samma", "sedan", "sig", "sin", "sina", "sitt", "som", "så", "till", "under", "upp", "ut", "utan", "vad", "var",
        "vara", "vem", "vi", "vid", "vilken", "är", "över",
    ]),
    ("da", &[
        "ad", "af", "alle", "alt", "at", "blev", "blive", "bliver", "da", "de", "dem", "den", "denne", "der", "deres",
        "det", "dette", "dig", "din", "disse", "dog", "du", "efter", "eller", "en", "end", "er", "et", "for", "fra",
        "ham", "han", "hans", "har", "havde", "have", "hende", "hendes", "her", "hos", "hun", "hvad", "hvis", "hvor",
        "i", "ikke", "ind", "jeg", "jer", "jo", "kunne", "man", "med", "meget", "men", "mig", "min", "mod", "ned", "nu",
        "når", "og", "også", "om", "op", "os", "over", "på", "sig", "sin", "skal", "som", "sådan", "til", "ud", "under",
        "var", "vi", "vil", "ville", "være", "været",
    ]),
    ("no", &[
        "alle", "at", "av", "ble", "bli", "blir", "både", "da", "de", "deg", "dei", "dem", "den", "denne", "der", "dere",
        "deres", "det", "dette", "din", "disse", "du", "eg", "ei", "eller", "en", "enn", "er", "et", "ett", "etter", "for",
        "fra", "før", "ha", "hadde", "han", "hans", "har", "hennes", "her", "hun", "hva", "hvem", "hvis", "hvor", "i",
        "ikke", "inn", "ja", "jeg", "kan", "med", "meg", "men", "mot", "når", "noe", "noen", "nå", "og", "også", "om",
        "opp", "oss", "over", "på", "seg", "sin", "sitt", "skal", "som", "så", "til", "under", "ut", "var", "ved", "vi",
        "vil", "være", "vært",
    ]),
    ("fi", &[
        "ei", "eivät", "että", "he", "heidän", "hän", "hänen", "ja", "jo", "joka", "jos", "joten", "jotka", "kanssa",
        "keitä", "ken", "koska", "kuin", "kuka", "kun", "me", "meidän", "mikä", "minkä", "minun", "minä", "mitä", "mukaan",
        "mutta", "myös", "ne", "niiden", "niin", "nyt", "nämä", "näiden", "oli", "olivat", "olla", "on", "ovat", "sekä",
        "se", "sen", "siinä", "siitä", "sinä", "sitten", "sitä", "tai", "te", "tämä", "tämän", "tässä", "vaan", "vai",
        "vaikka", "vain", "voi",
    ]),
    ("pl", &[
        "a", "aby", "ale", "albo", "ani", "bez", "bo", "by", "być", "był", "była", "było", "były", "będzie", "co", "czy",
        "dla", "do", "gdy", "gdzie", "go", "i", "ich", "ile", "im", "ja", "jak", "jako", "je", "jego", "jej", "jest",
        "jeszcze", "jeśli", "już", "każdy", "kto", "która", "które", "którego", "której", "który", "których", "którzy",
        "lub", "ma", "mnie", "może", "my", "na", "nad", "nam", "nas", "nie", "niż", "o", "od", "on", "ona", "one", "oni",
        "ono", "oraz", "po", "pod", "przed", "przez", "przy", "się", "są", "ta", "tak", "także", "tam", "te", "tego",
        "tej", "ten", "to", "tu", "tych", "tylko", "tym", "w", "we", "wy", "z", "za", "ze", "że", "żeby",
    ]),
    ("cs", &[
        "a", "aby", "ale", "ani", "ano", "asi", "až", "bez", "bude", "budou", "by", "byl", "byla", "byli", "bylo", "být",
        "co", "či", "do", "ho", "i", "já", "jak", "jako", "je", "jeho", "jej", "její", "jejich", "jen", "jenž", "ještě",
        "ji", "jsem", "jsi", "jsme", "jsou", "k", "kde", "kdo", "když", "ke", "která", "které", "který", "kteří", "ku",
        "mezi", "mi", "mu", "my", "na", "nad", "nám", "nás", "ne", "nebo", "není", "než", "o", "od", "on", "ona", "oni",
        "po", "pod", "podle", "pro", "proto", "před", "při", "s", "se", "si", "ta", "tak", "také", "tato", "te", "ten",
        "tento", "to", "toho", "tom", "tu", "u", "v", "ve", "však", "vy", "z", "za", "ze", "že",
    ]),
    ("ru", &[
        "а", "без", "бы", "был", "была", "были", "было", "быть", "в", "вам", "вас", "во", "вот", "все", "всё", "всех", "вы",
        "где", "да", "для", "до", "его", "ее", "её", "если", "есть", "еще", "ещё", "же", "за", "и", "из", "или", "им",
        "их", "к", "как", "ко", "когда", "который", "которая", "которые", "кто", "ли", "между", "меня", "мне", "мы", "на",
        "над", "нас", "не", "него", "нее", "нет", "ни", "них", "но", "о", "об", "он", "она", "они", "оно", "от", "по",
        "под", "при", "с", "свой", "себя", "со", "так", "также", "такой", "там", "то", "того", "той", "только", "том",
        "ты", "у", "уже", "чем", "что", "чтобы", "это", "этого", "этой", "этом", "этот", "эти", "я",
    ]),
    ("uk", &[
        "а", "або", "але", "без", "би", "був", "була", "були", "було", "бути", "в", "вам", "вас", "ви", "від", "він", "вона",
        "вони", "воно", "все", "всі", "де", "для", "до", "з", "за", "зі", "і", "із", "її", "їх", "й", "його", "коли", "між",
        "ми", "мене", "на", "над", "нас", "не", "ні", "о", "об", "по", "під", "при", "про", "та", "так", "також", "там",
        "те", "ти", "тим", "то", "того", "той", "тому", "у", "це", "цей", "ця", "ці", "чи", "що", "щоб", "я", "як", "яка",
        "який", "які", "є",
    ]),
    ("hu", &[
        "a", "az", "azok", "azt", "azonban", "be", "csak", "de", "egy", "egyik", "el", "ennek", "és", "ez", "ezek", "ezt",
        "ha", "hanem", "hogy", "hogyan", "igen", "illetve", "is", "itt", "kell", "ki", "le", "lehet", "lesz", "ma", "már",
        "meg", "még", "mely", "mert", "mi", "mint", "minden", "míg", "most", "nagyon", "ne", "nem", "nincs", "olyan", "ő",
        "ők", "pedig", "s", "sem", "sok", "szerint", "te", "ti", "tovább", "után", "vagy", "vagyok", "van", "vannak",
        "volt", "voltak", "én",
    ]),
    ("ro", &[
        "a", "ai", "al", "ale", "am", "ar", "are", "aș", "au", "ca", "care", "ce", "cel", "cea", "cei", "cele", "către",
        "cu", "cum", "da", "dar", "de", "decât", "deci", "din", "dintre", "după", "ea", "ei", "el", "ele", "este", "eu",
        "fi", "fie", "fost", "în", "între", "îi", "îl", "își", "la", "le", "lor", "lui", "mai", "mă", "ne", "nici", "noi",
        "nu", "o", "ori", "pe", "pentru", "peste", "prin", "sa", "să", "sale", "sau", "se", "și", "sub", "sunt", "tu",
        "un", "una", "unde", "unei", "unor", "unui", "va", "voi", "vor",
    ]),
    ("tr", &[
        "acaba", "ama", "ancak", "bana", "bazı", "belki", "ben", "beni", "benim", "bile", "bir", "biz", "bize", "bizim",
        "bu", "bunu", "bunun", "çok", "çünkü", "da", "daha", "de", "değil", "diye", "en", "gibi", "hem", "hep", "her",
        "için", "ile", "ise", "kadar", "ki", "kim", "mı", "mi", "mu", "mü", "nasıl", "ne", "neden", "nerede", "o", "olan",
        "olarak", "oldu", "olduğu", "olur", "ona", "onlar", "onu", "onun", "sen", "siz", "şey", "şu", "tüm", "var", "ve",
        "veya", "ya", "yok",
    ]),
    ("el", &[
        "αλλά", "αν", "από", "αυτά", "αυτή", "αυτό", "αυτός", "για", "δεν", "εγώ", "είναι", "εκείνος", "ενός", "ένα",
        "ένας", "εμείς", "εσείς", "εσύ", "ή", "ήταν", "η", "θα", "και", "κατά", "με", "μετά", "μην", "μια", "μου", "να",
        "ο", "οι", "όπως", "όταν", "ότι", "που", "πριν", "προς", "πως", "σας", "σε", "στα", "στη", "στην", "στις", "στο",
        "στον", "στους", "τα", "τη", "την", "της", "τι", "τις", "το", "τον", "του", "τους", "των", "ως",
    ]),
    ("ca", &[
        "a", "al", "als", "amb", "aquest", "aquesta", "aquests", "com", "d", "de", "del", "dels", "des", "el", "ell", "ella",
        "ells", "els", "em", "en", "entre", "era", "és", "es", "està", "estan", "fins", "fou", "ha", "han", "hi", "ho", "i",
        "jo", "l", "la", "les", "li", "m", "més", "molt", "n", "ni", "no", "o", "on", "per", "perquè", "però", "pot", "quan",
        "que", "qui", "s", "se", "sense", "ser", "seu", "seva", "si", "sobre", "són", "també", "un", "una", "unes", "uns",
    ]),
];
