//! The words the demo site is made of, and the grammar that joins them.
//!
//! A sentence pattern has slots in braces; each slot is filled from its own list. Patterns are many
//! and slots are wide so that two posts share words but hardly a passage: on this site only the
//! print mirror is meant to be a near duplicate.

use super::slots::words;
use crate::chance::Chance;

/// Fills the slots of `pattern`; the same slot twice in one pattern is filled twice.
pub(crate) fn sentence(chance: Chance, pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 40);
    let mut rest = pattern;
    let mut slot_number = 0;
    while let Some(start) = rest.find('{') {
        out.push_str(&rest[..start]);
        let end = rest[start..].find('}').map_or(rest.len() - 1, |end| start + end);
        let here = chance.at(slot_number);
        match &rest[start + 1..end] {
            "n" => out.push_str(&(2 + here.below(28)).to_string()),
            "km" => out.push_str(&format!("{}.{}", 3 + here.below(30), here.with("tenth").below(10))),
            "hour" => out.push_str(&format!("{}:{:02}", 5 + here.below(16), 5 * here.with("m").below(12))),
            "height" => out.push_str(&format!("{}", 310 + 10 * here.below(180))),
            slot => out.push_str(here.pick(words(slot))),
        }
        slot_number += 1;
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}

/// `count` different sentences from `patterns`.
pub(crate) fn sentences(chance: Chance, patterns: &[&str], count: usize) -> Vec<String> {
    let order = chance.shuffled(patterns.len());
    let chosen = order.into_iter().take(count);
    chosen.map(|place| sentence(chance.at(place as u64), patterns[place])).collect()
}

pub(crate) const POST_TITLES: [&str; 16] = [
    "Three days around {place}",
    "What {place} taught us about rain",
    "A slow walk to {place}",
    "Packing light for {place}",
    "Winter notes from {place}",
    "Field repairs at {place}",
    "Cooking outside: supper at {place}",
    "The night we camped below {place}",
    "How to read the weather over {place}",
    "With children to {place}",
    "A borrowed boat and {place}",
    "Testing lamps near {place}",
    "Twelve hours on foot: {place} and back",
    "Letters from {place}",
    "Why we keep returning to {place}",
    "Lost and found at {place}",
];

pub(crate) const TAGS: [&str; 9] =
    ["walking", "camping", "repair", "cooking", "winter", "family", "gear", "weather", "water"];

pub(crate) const POST_SENTENCES: [&str; 72] = [
    "We left {place} {time} and met {weather} at the first gate.",
    "The plan said {km} kilometres; the path, which had been moved, said rather more.",
    "{animal} watched us {act} and did not think much of it.",
    "By {hour} the stove was lit and {food} had been promised to everyone.",
    "Nobody remembers who packed {gear}, but nobody complains about it any more.",
    "From the top at {height} metres you can see {place} on one side and {place} on the other.",
    "The ground changed from {ground} to {ground} within a few steps.",
    "{person} was {feeling}, and said so {n} times.",
    "If you only carry one luxury, make it {gear}.",
    "It took {n} minutes to find the spring and a moment to lose the lid of the kettle in it.",
    "There is a bench above {place} where the wind drops for no reason we could find.",
    "{weather} is no reason to stay at home; {weather} perhaps is.",
    "We had {food} for lunch and, to be honest, {food} for supper as well.",
    "A repair that holds for {n} nights is no longer a makeshift.",
    "{person} swears by {fabric}; the rest of us swear at it.",
    "The hut book lists {n} visitors since the autumn, most of them {animal} by the handwriting.",
    "At {hour} the barometer fell, and we decided to {act}.",
    "Somebody had built a cairn exactly where the map shows {ground}.",
    "Do not trust the ford below {place} after {weather}.",
    "Our second evening was spent learning to {act} without talking.",
    "The bus back runs at {hour}, except when it does not.",
    "{gear} weighs {n} grams too much and is worth every one of them.",
    "We counted {n} stiles, {n} gates, and one dog who guarded all of them.",
    "What looked like {ground} from above turned out to be {ground}.",
    "In {weather} even {person} walks without singing.",
    "The tarp, pitched low over {ground}, kept us dry until {hour}.",
    "We met {person} coming the other way, {feeling}, with half a loaf of bread.",
    "Breakfast was {food}, eaten standing, because of {weather}.",
    "{part} tore on the descent and was sewn with dental floss {time}.",
    "You will want to {act} before the climb rather than after it.",
    "The last {km} kilometres follow the shore and need no map at all.",
    "For children the best part is {animal}; for the others it is {food}.",
    "A good peg in {ground} is worth two in the bag.",
    "We have measured it: {fabric} dries in {n} minutes over a small fire.",
    "Above {height} metres the path is marked with red paint, below it with optimism.",
    "{time} the cloud lifted and there was {place}, much closer than it had any right to be.",
    "Nothing in the forecast had mentioned {weather}.",
    "I had promised {person} not to {act}, so I did it quietly.",
    "Water is easy to find here; water without {animal} in it is not.",
    "The old road to {place} is still there if you look for the walls.",
    "We slept {n} hours, which at this latitude is most of the night.",
    "When {part} froze we thawed it with tea and regretted the tea.",
    "It is {km} kilometres to the nearest shop and they close at {hour}.",
    "Everyone should once {act} on {ground}, if only to know better.",
    "The lamp ran for {n} hours on one charge and then, {time}, it stopped.",
    "{person} drew a map on the back of the menu: {place}, two bends, {place}.",
    "We carried {gear} for {n} days and used it for one glorious minute.",
    "Take the left branch at the sheepfold; the right one ends in {ground}.",
    "At {height} metres we ate {food} and said very little.",
    "{weather} came over {place} like a lid.",
    "The trick is to {act} while you are still warm.",
    "Half of the group was {feeling}; the other half was asleep.",
    "There were {animal} on the jetty and {weather} in the forecast.",
    "Our only map of {place} dates from before the bridge.",
    "If {part} squeaks, a drop of cooking oil helps until you are home.",
    "We turned around {n} minutes below the summit and have not been sorry since.",
    "The farmer at {place} sells eggs, advice and sometimes {food}.",
    "Between {hour} and {hour} not a single car passed.",
    "{fabric} is heavy when wet, but so is {person}.",
    "Leave {gear} at home and you will need it; that is the only law we found.",
    "We found the missing glove {time}, under {animal}.",
    "The tide table for {place} hangs in the porch and is {n} years old.",
    "On {ground} a long stride is a mistake.",
    "Next year we shall start at {hour} and {act} first.",
    "{person} keeps a list of good camps; this one came in at number {n}.",
    "The view needs {weather} behind it to make any sense.",
    "There is no signal until {place}, which is the point.",
    "I counted the steps down to the water: {n}, then {ground}, then cold.",
    "What nobody tells you about {place} is the smell of {food} from the mill.",
    "A tent door facing east is a fine thing until {hour}.",
    "We owe {person} a new mug and an apology.",
    "Later, in the warm, we agreed to {act} more often.",
];

pub(crate) const PRODUCT_SENTENCES: [&str; 30] = [
    "Made from {fabric} with {part} bound twice, because that is where the old one failed.",
    "It was designed on {ground} and tested in {weather} until we ran out of complaints.",
    "Everything that can break can be replaced with the tools in {gear}.",
    "{part} opens with one hand, also in gloves, also {time}.",
    "Packed it takes no more room than {food} for two.",
    "Our testers carried it {km} kilometres over {ground} and brought it back {feeling}.",
    "A panel of {fabric} keeps {weather} where it belongs.",
    "{person} sews the first piece of every batch and signs the label.",
    "It fits beside {gear} in the side pocket of most packs.",
    "You can {act} with it, and most people do.",
    "{part} is new this season and {n} grams lighter.",
    "The colour does not fade; we left one on a roof in {place} for {n} months.",
    "No glue, no foam: {fabric}, thread and patience.",
    "In {weather} it is as quiet as a hat.",
    "It passed {n} nights at {height} metres without a drop inside.",
    "We give it {n} years, and a spare part for each of them.",
    "The pattern goes back to a sketch made in {place} {time}.",
    "{part} can be tightened from inside, which you will value {time}.",
    "Dries over a chair back in {n} minutes.",
    "For long days on {ground} choose the next size up.",
    "Not the lightest of its kind, but the one {person} takes along.",
    "{fabric} on the outside, {fabric} where it touches you.",
    "The instructions fit on the label: unfold, {act}, enjoy.",
    "Wash it at thirty degrees, hang it up, and tell it about {place}.",
    "Two loops hold {gear} so that it cannot rattle.",
    "It has survived {animal}, which is more than can be said of its predecessor.",
    "Reflective trim at {part} answers a torch at {n} metres.",
    "Comes with {gear} and a needle.",
    "Cut in one piece around {part}, so there is no seam to leak.",
    "Sold without a box; it arrives wrapped in {fabric}.",
];

pub(crate) const REVIEWS: [&str; 14] = [
    "Used it for {n} nights in {place}; no complaints.",
    "{part} came loose after a month, the shop mended it within a week.",
    "Better than the one I lost to {animal}.",
    "Held up in {weather}, which is all I asked.",
    "A bit heavy, but I was {feeling} with it.",
    "Bought a second one for the family.",
    "Works well on {ground}, less so on {ground}.",
    "The smell of {fabric} goes away after {n} days.",
    "We could {act} at last without swearing.",
    "Arrived {time}, well packed, with a handwritten note.",
    "My third from this shop. Still good.",
    "Perfect together with {gear}.",
    "I wish {part} were longer, otherwise lovely.",
    "Survived {km} kilometres and one very wet dog.",
];

pub(crate) const DOC_SENTENCES: [&str; 40] = [
    "The unit keeps the last {n} positions in memory and writes them out when it is idle.",
    "Press and hold the side key for {n} seconds until the lamp turns green.",
    "Values outside the range are clamped, and the event is noted in the journal.",
    "This setting is read once at start; restart the unit after a change.",
    "If no satellite is found within {n} seconds the last known place is used.",
    "A route may hold up to {height} points; longer ones are split on import.",
    "The barometer needs about {n} minutes to settle after {weather}.",
    "Distances are given in metres, angles in degrees, temperatures in degrees Celsius.",
    "The example below was recorded near {place} {time}.",
    "Nothing is sent anywhere unless a sync target has been named.",
    "Files are written to a temporary name first and renamed when they are complete.",
    "When the battery falls below {n} percent the screen is dimmed and sensors rest.",
    "Names are compared without regard to case, but kept as they were typed.",
    "The journal is a ring of {height} lines; the oldest line is dropped first.",
    "You can undo the last {n} edits of a route from the review screen.",
    "A paired sensor is asked every {n} seconds and forgotten after a day of silence.",
    "Contour lines are drawn every {n} metres, thicker at each fifth line.",
    "The unit never deletes a recording by itself, even when the storage is full.",
    "Scripts run with a budget of {n} milliseconds; a script that needs more is stopped.",
    "A waypoint without a name is numbered in the order of arrival.",
    "Two units in reach of each other agree on the time within {n} milliseconds.",
    "The alarm can be silenced for {n} minutes, never for good.",
    "Imported tracks keep their own colour until you change it.",
    "Below minus {n} degrees the touch field is switched off and the keys take over.",
    "Tiles that have not been used for {n} weeks are the first to leave the cache.",
    "Keep the vent at the back free of tape; the pressure sensor breathes through it.",
    "The checksum at the end of each file covers everything before it.",
    "An unknown key in the settings file is refused with its line number.",
    "Every answer carries the version of the format that it is written in.",
    "Use the short form in scripts and the long form in notes to other people.",
    "A failed transfer is tried again after {n}, then after twice as many seconds.",
    "The order of the entries does not matter, but the first one is shown on the start screen.",
    "Read the table from left to right: the first column wins.",
    "On {ground} the step counter is a little too generous.",
    "If both values are given, the larger one is used.",
    "The screen shows a small triangle while a calculation is running.",
    "Maps are signed; a map without a valid signature is shown in grey.",
    "The compass is calibrated by turning the unit through {n} full circles.",
    "Firmware is checked before it replaces the running one, and the old one is kept.",
    "A group may hold other groups, at most {n} levels deep.",
];

pub(crate) const SERIES: [&str; 24] = [
    "Kestrel",
    "Moraine",
    "Tarn",
    "Fjell",
    "Cairn",
    "Brae",
    "Lichen",
    "Sorrel",
    "Drift",
    "Ember",
    "Haar",
    "Skerry",
    "Bothy",
    "Alder",
    "Plover",
    "Gneiss",
    "Saltmarsh",
    "Corrie",
    "Heron",
    "Juniper",
    "Nunatak",
    "Osier",
    "Pumice",
    "Wren",
];

pub(crate) const COLOURS: [&str; 10] = [
    "moss green",
    "slate blue",
    "rust red",
    "sand",
    "charcoal",
    "ochre",
    "ice white",
    "bracken brown",
    "night blue",
    "signal orange",
];

/// Name, path segment, German name, nouns of its products.
pub(crate) const CATEGORIES: [(&str, &str, &str, [&str; 4]); 6] = [
    ("Tents", "tents", "Zelte", ["Trekking Tent", "Ridge Tent", "Dome Tent", "Tarp Shelter"]),
    ("Backpacks", "backpacks", "Rucksäcke", ["Day Pack", "Rolltop Pack", "Expedition Pack", "Frame Pack"]),
    ("Sleeping", "sleeping", "Schlafen", ["Down Quilt", "Sleeping Bag", "Insulated Mat", "Wool Blanket"]),
    ("Kitchen", "kitchen", "Küche", ["Gas Stove", "Kettle", "Cook Set", "Wood Burner"]),
    ("Light", "light", "Licht", ["Head Lamp", "Camp Lantern", "Pocket Torch", "Candle Lamp"]),
    ("Clothing", "clothing", "Kleidung", ["Rain Shell", "Wool Jumper", "Field Trousers", "Wind Smock"]),
];

pub(crate) const DOC_SECTIONS: [(&str, &str, [&str; 8]); 8] = [
    (
        "Getting started",
        "start",
        [
            "What is in the box",
            "First charge",
            "Keys and lamps",
            "Choosing a language",
            "Your first recording",
            "Reading the screen",
            "Carrying and mounting",
            "Words we use",
        ],
    ),
    (
        "Routes",
        "routes",
        [
            "Drawing a route",
            "Importing a route",
            "Splitting and joining",
            "Alternatives",
            "Turn hints",
            "Elevation profile",
            "Sharing a route",
            "Route limits",
        ],
    ),
    (
        "Maps",
        "maps",
        [
            "Map layers",
            "Downloading tiles",
            "Contour lines",
            "Own overlays",
            "Offline search",
            "Map projections",
            "Symbols",
            "Cache and storage",
        ],
    ),
    (
        "Sensors",
        "sensors",
        [
            "Satellite receiver",
            "Barometer",
            "Compass",
            "Thermometer",
            "Step counter",
            "Heart rate",
            "Pairing",
            "Calibration",
        ],
    ),
    (
        "Sync",
        "sync",
        [
            "Sync targets",
            "Conflict rules",
            "Cable transfer",
            "Wireless transfer",
            "Partial sync",
            "Encryption",
            "Backups",
            "Moving to a new unit",
        ],
    ),
    (
        "Scripting",
        "scripting",
        [
            "Script basics",
            "Events",
            "Values and units",
            "Drawing on the screen",
            "Timers",
            "Storing data",
            "Testing scripts",
            "Script limits",
        ],
    ),
    (
        "Troubleshooting",
        "troubleshooting",
        [
            "It does not start",
            "No satellites",
            "Battery drains fast",
            "Wrong altitude",
            "Lost recordings",
            "Screen frozen",
            "Sync fails",
            "Factory reset",
        ],
    ),
    (
        "Reference",
        "reference",
        [
            "Settings file",
            "Command line",
            "File formats",
            "Error codes",
            "Key combinations",
            "Technical data",
            "Web interface",
            "Release history",
        ],
    ),
];
