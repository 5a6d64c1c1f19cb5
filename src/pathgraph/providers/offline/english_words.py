"""Word lists of the English rules.

Belongs here: closed lists of words, each with the reason it exists. Does not: rules.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Nouns that say what somebody is to something: "CEO Jensen Huang", "Chancellor of Germany". Capitalised they look like
# a part of the name to tagger and entity recogniser, and are none.
ROLES = _words("""
    actor administrator admiral ambassador analyst architect archbishop artist attorney author bishop boss captain
    cardinal ceo cfo chair chairman chairperson chairwoman chancellor chief cio co-founder coach cofounder colonel
    commander commissioner coo correspondent counsel cto dean deputy designer developer director editor emperor
    engineer executive founder general governor head inventor judge justice king lawyer leader lieutenant major
    manager mayor minister monarch officer owner partner pope premier president prince princess principal producer
    professor queen representative scientist secretary senator singer speaker spokesman spokesperson spokeswoman
    sultan treasurer tsar vice writer
""")

# Roles a person holds in an organisation or a state; "Apple CEO Tim Cook" needs no "of".
PERSON_ROLES = ROLES | _words("chief president successor predecessor wife husband son daughter brother sister")

# "Minister of State", "Secretary of Defense": what follows is a portfolio, no name.
PORTFOLIO_ROLES = _words("minister secretary undersecretary commissioner")

# Words before a name that belong to no name.
TITLES = ROLES | _words("""
    mr mrs ms miss dr sir lady lord mr. mrs. ms. dr. prof prof. gen. sen. rep. gov. lt. col. capt.
    former then acting interim current prime
""")

# Adjectives that are a part of a role or change its truth; all others are left out of a relation's name.
ROLE_ADJECTIVES = _words("""
    acting chief deputy executive financial foreign former founding general interim joint legal managing maternal
    operating outgoing prime private public senior technical technological wholly-owned first last
""")

# Class nouns after a product's name: "the Blackwell chip" is Blackwell.
PRODUCT_NOUNS = _words("""
    aircraft airliner app application browser camera car chip chipset console device drone drug engine family
    framework game headset jet language laptop library line medicine missile mission model module novel operating
    phone plane platform processor product program programme project protocol rocket satellite sedan series service
    smartphone software spacecraft suite suv system tablet telescope vaccine vehicle watch website
""")

# Adjectives that say nothing about the kind of a thing; alone they make no class worth a node.
EMPTY_ADJECTIVES = _words("""
    another bad best better big biggest clear common current different early entire few fine first former general good
    great greatest high huge important key large larger largest last late latest leading little long low main major
    many more most much necessary new next notable old only other own particular popular possible previous prominent
    real recent same second several significant similar simple single small special specific strong such third top
    total true typical unique useful usual various very well-known whole young
""")

# Nouns too general to be a node of their own.
EMPTY_NOUNS = _words("""
    addition advantage amount answer anyone anything approach area aspect attempt basis beginning benefit bit bottom
    case cause chance change chapter choice circumstance condition context contrast couple course day deal decade
    decision degree detail difference effect effort end essay evening event everyone everything evidence example
    extent fact factor feature fig figure form future goal group half hand help hour idea impact importance increase
    information instance interest issue item kind lack level life light list lot majority man manner matter meaning
    means member method mind minute moment month morning name nature need night none nothing number one order other
    others page paper paragraph part past people percent period person piece place point position possibility
    present problem process purpose quality quarter question range reason regard relation relationship remainder
    rest result rise role section sense series set side sign situation something sort source stage start state step
    story strength style subject success sum table task term thing thought time today tomorrow top topic total type
    use value variety version view way week while will woman word work year yesterday
""")

# Plurals the lemmatizer gets wrong.
LEMMAS = {
    "axes": "axis",
    "bases": "base",
    "data": "data",
    "leaves": "leaf",
    "media": "media",
    "series": "series",
    "species": "species",
    "taxes": "tax",
}

# Their possessive stands inside names: "Women's World Cup".
INNER_OWNERS = _words("children king men people queen women workers")

# "the city of Busan" is Busan.
PLACE_CLASSES = _words("""
    borough city county department district island kingdom municipality prefecture province region republic state
    suburb territory town village
""")

# Verbs after which a noun says what the subject (or object) is.
PREDICATE_VERBS = _words("appoint be become choose crown declare elect make name nominate remain stay")

# Participles that say where something is, whatever the tagger takes them for.
PLACE_PARTICIPLES = _words("based headquartered located situated")

# Verbs that carry no relation between their subject and object by themselves.
LIGHT_VERBS = _words("""
    be do get give go have let make mean need put say see seem take tell thank try want appear happen keep look know
    think feel show involve concern remain become start begin help enable allow cause
""")

# "A agreed to buy B" says what A agreed to; the relation keeps the first verb.
INTENT_VERBS = _words("agree plan intend decide announce seek offer propose prepare aim promise pledge vow choose")
# "A began to sell B" is "A sells B".
ASPECT_VERBS = _words("begin start continue go help come proceed use manage move get")

# A clause under these is no statement of its truth.
UNREAL_VERBS = _words("""
    allege assume believe claim consider deny doubt dream estimate expect fail fear forbid forget guess hope hypothesise
    hypothesize imagine neglect pretend predict prevent prohibit refuse reject rumor rumour speculate suggest suppose
    suspect think threaten try urge want wish wonder attempt stop avoid decline ask
""")
UNREAL_MODALS = _words("may might could would should can ca wo 'd need ought")
UNREAL_ADVERBS = _words("""
    allegedly almost hardly hypothetically nearly never no not n't possibly perhaps maybe reportedly scarcely supposedly
    unlikely rarely
""")
UNREAL_MARKS = _words("if unless whether lest until before")

# A prepositional phrase under these says nothing about a relation to its object.
SKIPPED_PREPOSITIONS = _words("""
    about according although as because besides but despite except including like per plus regarding since than though
    unlike unless until via whether
""")

# Prepositions by which one place, plant or body lies in another.
LOCATIVES = _words("in near")

# Objects of "as": who holds the role.
OBJECT_ROLE_VERBS = _words("appoint name elect hire nominate choose install crown recruit")
SUBJECT_ROLE_VERBS = _words("succeed serve work replace act join continue return")

# Last words of names that tell a type the entity recogniser may miss.
TYPE_BY_LAST_WORD = {
    **dict.fromkeys(
        _words("""
            agency ag association authority bank board bureau church college committee commission company congress
            corp corporation council court department foundation gmbh group inc institute ltd ministry network
            airlines airways capital electronics holdings laboratories labs logistics motors organisation organization
            parliament partners party pharmaceuticals robotics senate society systems technologies union university
        """),
        "ORGANISATION",
    ),
    **dict.fromkeys(
        _words("accord act agreement code constitution convention directive law protocol regulation rule treaty"), "LAW"
    ),
    **dict.fromkeys(_words("battle championship championships cup festival olympics revolution war"), "EVENT"),
    **dict.fromkeys(
        _words("""
            airport bay bridge canal castle city county desert island islands lake mountain mountains ocean park
            peninsula province river sea stadium station street valley
        """),
        "PLACE",
    ),
}
TYPE_BY_FIRST_WORD = {
    "bank": "ORGANISATION",
    "battle": "EVENT",
    "department": "ORGANISATION",
    "directive": "LAW",
    "lake": "PLACE",
    "ministry": "ORGANISATION",
    "mount": "PLACE",
    "regulation": "LAW",
    "treaty": "LAW",
    "university": "ORGANISATION",
}
