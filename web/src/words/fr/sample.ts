import type { sample as english } from '../en/sample.ts';

export const sample: typeof english = {
  title: 'Ou regardez d’abord',
  text: 'Remplissez ce site de 200 personnes fictives, d’une cible et d’un brouillon. Tout se retire en une fois.',
  fill: 'Remplir d’exemples',
  filled: (people) => `${people} personnes fictives sont là.`,
  bar: (people) => `Données d’exemple : ${people} personnes fictives.`,
  remove: 'Retirer',
  removeAll: (people) => `Retirer ${people} personnes fictives`,
  question: (people) => `Retirer ${people} personnes fictives ?`,
  consequence:
    'Leur cible et le brouillon partent avec elles, même modifiés. Ce que vous avez créé reste. ' +
    'Un brouillon déjà envoyé va aux archives.',
  removed: (people) => `${people} personnes fictives retirées.`,
};
