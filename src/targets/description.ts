import { escapeUTF8 } from 'entities';
import type { Language } from '../fields/period.ts';
import type { FilterSite } from './filters/filter-kind.ts';
import { filterKinds } from './filters/filter-kinds.ts';
import type { TargetDefinition, TargetParameters } from './target.ts';

const words = {
  fr: {
    target: 'Cible',
    off: 'désactivé, sans effet',
    those: 'Les abonnés qui remplissent toutes ces conditions :',
    everyone: 'Tous les abonnés de la base.',
    except: (names: string) => `Sauf les abonnés des cibles ${names}.`,
    share: (percent: number) => `${percent} % d’entre eux`,
    most: (count: number) => `${count} d’entre eux au plus`,
    atRandom: 'choisis au hasard',
    byId: 'dans l’ordre de leur identifiant',
    cut: 'Sélection :',
  },
  en: {
    target: 'Target',
    off: 'disabled, without effect',
    those: 'The subscribers who fulfil all these conditions:',
    everyone: 'All subscribers of the site.',
    except: (names: string) => `Except the subscribers of the targets ${names}.`,
    share: (percent: number) => `${percent}% of them`,
    most: (count: number) => `at most ${count} of them`,
    atRandom: 'chosen at random',
    byId: 'in the order of their ids',
    cut: 'Selection:',
  },
} as const;

/**
 * Describes what a target selects, with HTML tags. All user text is escaped, so a page can contain it as it is.
 * @param excludedNames names of the targets that it excludes, by id.
 */
export function describeTarget(
  target: TargetDefinition,
  excludedNames: ReadonlyMap<number, string>,
  site: FilterSite,
  language: Language,
): string {
  const { name, excludedTargets } = target.parameters;
  const excluded = excludedTargets.map(
    (id) => `<b>${escapeUTF8(excludedNames.get(id) ?? String(id))}</b> (${id})`,
  );
  return [
    `<p>${words[language].target} <b>${escapeUTF8(name)}</b></p>`,
    describeFilters(target, site, language),
    excluded.length > 0 ? `<p>${words[language].except(excluded.join(', '))}</p>` : '',
    describeCut(target.parameters, language),
  ].join('');
}

function describeFilters(target: TargetDefinition, site: FilterSite, language: Language): string {
  const { off, those, everyone } = words[language];
  const items = filterKinds.flatMap((kind) => {
    const filter = target.filters.find((one) => one.kind === kind.kind);
    if (!filter) return [];
    const state = filter.isEnabled ? '' : ` <i>(${off})</i>`;
    return [`<li>${kind.heading[language]}${state}${kind.describe(filter.definition, site, language)}</li>`];
  });
  const isFiltered = target.filters.some((filter) => filter.isEnabled);
  const whom = `<p>${isFiltered ? those : everyone}</p>`;
  return items.length === 0 ? whom : `${whom}<ul>${items.join('')}</ul>`;
}

function describeCut({ maxSelect, pctSelect, isRandomMode }: TargetParameters, language: Language): string {
  if (maxSelect === null && pctSelect === 100) return '';
  const { cut, share, most, atRandom, byId } = words[language];
  const taken = maxSelect === null ? share(pctSelect) : most(maxSelect);
  return `<p>${cut} ${taken}, ${isRandomMode ? atRandom : byId}.</p>`;
}
