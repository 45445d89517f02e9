/** A name and a city, in their own script and in Latin letters. */
export interface Person {
  readonly firstName: string;
  readonly city: string;
}

/** People who do not write in Latin letters, with the domain of their addresses. */
export interface Script {
  readonly name: string;
  readonly domain: string;
  readonly people: readonly { readonly own: Person; readonly latin: Person }[];
}

export const latinNames = [
  ...[
    'Élodie',
    'François',
    'Zoë',
    'Jürgen',
    'Søren',
    'Åsa',
    'Íñigo',
    'João',
    'Œdipe',
    'Mary-Ann',
    'Siân',
    'Þór',
  ],
  ...['Günther', 'Anaïs', 'Núria', 'Mikaël', "D'Arcy", 'Žofia', 'Renée', 'Ülle', 'Conceição', 'Bjørk'],
];
export const latinCities = [
  ...['Paris', 'Besançon', 'Liège', 'Münster', 'Málaga', 'Århus', 'São João', 'Zürich', 'Nîmes', 'Brighton'],
];
export const latinDomains = [
  ...['example.com', 'example.org', 'mail.example.net', 'orange.example', 'bücher.example'],
];

export const scripts: readonly Script[] = [
  script('Greek', 'παράδειγμα.example', ['Αθήνα', 'Athína'], ['Ελένη', 'Eléni'], ['Γιώργος', 'Giórgos']),
  script('Cyrillic', 'пример.example', ['Одеса', 'Odesa'], ['Ольга', 'Olha'], ['Дмитрий', 'Dmitri']),
  script('Arabic', 'مثال.example', ['القاهرة', 'Al-Qahira'], ['ليلى', 'Layla'], ['محمد', 'Muhammad']),
  script('Hebrew', 'דוגמה.example', ['חיפה', 'Haifa'], ['שרה', 'Sarah'], ['דוד', 'David']),
  script('Chinese', '例子.example', ['北京', 'Beijing'], ['王芳', 'Wang Fang'], ['李伟', 'Li Wei']),
  script('Japanese', '例え.example', ['大阪', 'Osaka'], ['さくら', 'Sakura'], ['ケンタ', 'Kenta']),
  script('Korean', '실례.example', ['서울', 'Seoul'], ['민준', 'Min-jun'], ['서연', 'Seo-yeon']),
  script('Thai', 'ตัวอย่าง.example', ['เชียงใหม่', 'Chiang Mai'], ['สมชาย', 'Somchai'], ['มาลี', 'Mali']),
  script('Devanagari', 'उदाहरण.example', ['दिल्ली', 'Dilli'], ['अर्जुन', 'Arjun'], ['प्रिया', 'Priya']),
];

type Written = readonly [own: string, latin: string];

function script(name: string, domain: string, city: Written, ...names: readonly Written[]): Script {
  const people = names.map(([own, latin]) => ({
    own: { firstName: own, city: city[0] },
    latin: { firstName: latin, city: city[1] },
  }));
  return { name, domain, people };
}
