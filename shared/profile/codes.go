package profile

// Codes of Problems, each with its Args. They are stable.
const (
	CodeTooLarge       = "too_large"       //
	CodeEncoding       = "encoding"        //
	CodeSyntax         = "syntax"          // what the YAML reader says, in English
	CodeTab            = "tab"             //
	CodeSecondDocument = "second_document" //
	CodeNoMapping      = "no_mapping"      // nothing, or the id whose profile it is
	CodeNoID           = "no_id"           //
	CodeEmptyID        = "empty_id"        //
	CodeTwoIDs         = "two_ids"         // the id in the profile, the one above it
	CodeProfiles       = "profiles"        // "profiles" is no map
	CodeBesideProfiles = "beside_profiles" // the key
	CodeKey            = "key"             // a key that is a list or map
	CodeAnchor         = "anchor"          // the key
	CodeTwice          = "twice"           // the key, the line where it stands first
	CodeUnknownKey     = "unknown_key"     // the key, and the nearest known one if there is one
	CodeNotEverywhere  = "not_everywhere"  // the key
	CodeText           = "text"            // the key
	CodeTexts          = "texts"           // the key
	CodeQuotes         = "quotes"          // the key
	CodeNoProgram      = "no_program"      // the key
	CodeBoolean        = "boolean"         // the key, what it is
	CodeKind           = "kind"            // the key, what it is, the kinds
	CodeSearchURL      = "search_url"      // the key, the Code of a SearchURLError, the address
	CodeMapping        = "mapping"         // the key, which must map names to keys
	CodeKeys           = "keys"            // the name, then the Code of a chord.SyntaxError, its Input and Args
	CodeCommand        = "command"         // the phrase, whose map is not just an action
	CodeAction         = "action"          // the phrase, what is no name of an action
	CodeUnknownAction  = "unknown_action"  // the phrase, the action, whose it is not (an application, a kind or any), and the nearest action if there is one
	CodeUnreadable     = "unreadable"      // what the system says
	CodeReserved       = "reserved"        // the name of the file
	CodeDesktopFile    = "desktop_file"    // what is wrong with it, in English
	CodeData           = "data"            // what is wrong with a file of words, in English
)

// Codes are all codes.
var Codes = []string{
	CodeTooLarge, CodeEncoding, CodeSyntax, CodeTab, CodeSecondDocument, CodeNoMapping, CodeNoID, CodeEmptyID, CodeTwoIDs,
	CodeProfiles, CodeBesideProfiles, CodeKey, CodeAnchor, CodeTwice, CodeUnknownKey, CodeNotEverywhere, CodeText, CodeTexts,
	CodeQuotes, CodeNoProgram, CodeBoolean, CodeKind, CodeSearchURL, CodeMapping, CodeKeys, CodeCommand, CodeAction,
	CodeUnknownAction, CodeUnreadable, CodeReserved, CodeDesktopFile, CodeData,
}

// Codes of a SearchURLError.
const (
	NoScheme = "no_scheme" // it does not begin with https:// or http://
	NoQ      = "no_q"      // it has no {q}
)

// Codes of a Finding, each with what its Other is.
const (
	NameTaken     = "name_taken"     // the application that has the name as well
	GenericWord   = "generic_word"   //
	BuiltInPhrase = "builtin_phrase" //
	SameKeys      = "same_keys"      // the action that has the keys as well
	KeyNotAction  = "key_not_action" // the action that is called like the key
)
