import { escapeUTF8 } from 'entities';
import type { FilterSite } from './filters/filter-kind.ts';
import { filterKinds } from './filters/filter-kinds.ts';
import type { TargetDefinition, TargetParameters } from './target.ts';

/**
 * Describes what a target selects, in French with HTML tags. All user text is escaped, so a page can contain it as it
 * is.
 * @param excludedNames names of the targets that it excludes, by id.
 */
export function describeTarget(
  target: TargetDefinition,
  excludedNames: ReadonlyMap<number, string>,
  site: FilterSite,
): string {
  return [
    `<p>Cible <b>${escapeUTF8(target.parameters.name)}</b></p>`,
    describeFilters(target, site),
    describeExcluded(target.parameters.excludedTargets, excludedNames),
    describeCut(target.parameters),
  ].join('');
}

function describeFilters(target: TargetDefinition, site: FilterSite): string {
  const items = filterKinds.flatMap((kind) => {
    const filter = target.filters.find((one) => one.kind === kind.kind);
    if (!filter) return [];
    const state = filter.isEnabled ? '' : ' <i>(désactivé, sans effet)</i>';
    return [`<li>${kind.french}${state}${kind.describe(filter.definition, site)}</li>`];
  });
  const isFiltered = target.filters.some((filter) => filter.isEnabled);
  const whom = isFiltered
    ? '<p>Les abonnés qui remplissent toutes ces conditions :</p>'
    : '<p>Tous les abonnés de la base.</p>';
  return items.length === 0 ? whom : `${whom}<ul>${items.join('')}</ul>`;
}

function describeExcluded(ids: readonly number[], names: ReadonlyMap<number, string>): string {
  if (ids.length === 0) return '';
  const listed = ids.map((id) => `<b>${escapeUTF8(names.get(id) ?? String(id))}</b> (${id})`);
  return `<p>Sauf les abonnés des cibles ${listed.join(', ')}.</p>`;
}

function describeCut({ maxSelect, pctSelect, isRandomMode }: TargetParameters): string {
  if (maxSelect === null && pctSelect === 100) return '';
  const share = maxSelect === null ? `${pctSelect} % d’entre eux` : `${maxSelect} d’entre eux au plus`;
  const order = isRandomMode ? 'choisis au hasard' : 'dans l’ordre de leur identifiant';
  return `<p>Sélection : ${share}, ${order}.</p>`;
}
