import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTab, type ConsoleTester, openConsole } from './testing/console.ts';
import { auditEverywhere, callSite, picture, settled } from './testing/console-steps.ts';
import { describeWith } from './testing/daemon.ts';

/** The machine of the tests may be busy. */
const patience = { timeout: 180_000 };
const soon = { timeout: 30_000 };
const hostile = '<img src=x onerror=alert(1)>"\'&amp; بستان';
const [many, archived, scheduled] = [1_000, 40, 5];

let t: ConsoleTester;
let idDirectory: number;
/** The campaigns by the order in which they were made. */
const ids: number[] = [];

const call = <T>(tab: ConsoleTab, method: string, path: string, data?: unknown) =>
  callSite<T>(t, tab, method, path, data);

async function makeCampaigns(tab: ConsoleTab): Promise<void> {
  const { id: idTarget } = await call<{ id: number }>(tab, 'POST', '/targets', { name: 'Everyone' });
  const filters = [{ idField: 7, operator: 'Equal', value: '0' }];
  await call(tab, 'PUT', '/targets/filters/field', { idTarget, filters });
  await call(tab, 'POST', '/subscribers', [{ fields: [{ idField: 1, value: 'ines@post.example' }] }]);
  const configuration = await call<{ id: number }>(tab, 'POST', '/sending-configurations', {
    ...{ name: 'Shop', senderEMail: 'news@shop.example', responseEMail: 'news@shop.example' },
  });
  for (let number = 1; number <= many; number++) {
    const { id } = await call<{ id: number }>(tab, 'POST', '/campaigns', {
      parameters: {
        name: number === 500 ? hostile : `Letter ${number}`,
        subject: number % 100 === 0 ? `Été ${number}` : `Bulbs ${number}`,
        type: number % 10 === 0 ? 'Dedicated' : 'Newsletter',
        ...{ mode: 'Simple', idConfiguration: configuration.id, isArchive: number <= archived },
      },
      htmlContent: '<a href="[[LINK.UNSUB]]">Unsubscribe</a>',
    });
    ids.push(id);
    if (number <= many - scheduled) continue;
    const segment = { name: 'All', idTarget, percent: 100, fixedValues: 0 };
    await call(tab, 'POST', `/campaigns/${id}/segments`, segment);
    await call(tab, 'POST', `/campaigns/${id}/schedule/calendar`, ['2040-07-02T05:30:00Z']);
  }
}

describeWith('chromium', 'the list of 1,000 campaigns', () => {
  beforeAll(async () => {
    t = await openConsole({ FACTEUR_REQUESTS_PER_MINUTE: '1000000' });
    const tab = await t.open();
    idDirectory = await call<number>(tab, 'POST', '/pictures/directories', {
      ...{ name: 'Spring', dirType: 'Campaign' },
    });
    await makeCampaigns(tab);
    await tab.close();
  }, 240_000);
  afterAll(async () => {
    await t?.close();
  });

  const open = async (address = '') => {
    const tab = await t.open();
    await tab.page.goto(`${t.url}/console/demo/campaigns${address}`);
    await settled(tab.page);
    const { page } = tab;
    const rows = page.locator('tbody tr');
    await rows.first().waitFor();
    return { tab, page, rows };
  };

  it('finds by name, subject and number, and counts each part', patience, async () => {
    const { tab, page, rows } = await open();
    const part = (name: string) => page.getByRole('button', { name, exact: true });
    await part(`All ${many - archived}`).waitFor();
    await part(`Drafts ${many - archived - scheduled}`).waitFor();
    await part(`Scheduled ${scheduled}`).waitFor();
    await page.getByText(`1 to 50 of ${many - archived}`).waitFor();
    const search = page.getByRole('searchbox', { name: 'Name, subject or number' });
    await search.fill('ete');
    await expect.poll(() => rows.count(), soon).toBe(10);
    await part('Drafts 9').waitFor();
    await search.fill(String(ids[699]));
    await expect.poll(() => rows.first().innerText(), soon).toContain('Letter 700');
    await search.fill('no such letter');
    await page.getByText('No campaign is called “no such letter”.').waitFor();
    await page.getByRole('button', { name: 'Show all campaigns' }).click();
    await part(`Archive ${archived}`).click();
    await expect.poll(() => rows.count(), soon).toBe(archived);
    await part(`Scheduled ${scheduled}`).click();
    await expect.poll(() => rows.count(), soon).toBe(scheduled);
    await page.getByLabel('Type').selectOption('Dedicated mailing');
    await expect.poll(() => rows.count(), soon).toBe(1);
    await page.waitForURL(/type=Dedicated/);
    await page.reload();
    await expect.poll(() => rows.count(), soon).toBe(1);
    await page.getByLabel('Created until').fill('2020-01-01');
    await page.getByText('No campaign is in this state.').waitFor();
    await page.getByText('The list is limited by: Scheduled, Type, Created until.').waitFor();
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('walks, selects, marks and opens rows by the keyboard', patience, async () => {
    const { tab, page, rows } = await open('?sort=Id&order=DESC');
    const current = () => page.locator('tr[data-current]').innerText();
    for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
    await expect.poll(current, soon).toContain('Letter 999');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Letter 999');
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Letter 999 is a favourite' }).waitFor();
    await page.keyboard.press('x');
    await page.getByText('1 campaign selected').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 campaigns selected').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/campaigns/${ids[997]}$`));
    await page.goBack();
    await page.getByLabel('Place').selectOption('Favourites');
    await expect.poll(() => rows.count(), soon).toBe(1);
    await page.keyboard.press('Escape');
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    await page.waitForURL((url) => !url.pathname.endsWith('/campaigns'));
    await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue(), soon).toMatch(/copy/);
    await page.goto(`${t.url}/console/demo/campaigns?sort=Id&order=DESC`);
    await page.getByText(/^1 to 50 of/).waitFor();
    await page.keyboard.press(']');
    await page.getByText(/^51 to 100 of/).waitFor();
    await page.keyboard.press('[');
    await page.getByText(/^1 to 50 of/).waitFor();
    await page.keyboard.press('c');
    await page.waitForURL(/\/campaigns\/\d+$/);
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('acts on a range: into a directory, archive and undo, duplicate', patience, async () => {
    const { tab, page, rows } = await open('?sort=Id&order=ASC&search=Letter');
    const box = (number: number) =>
      page.getByRole('checkbox', { name: `Select Letter ${number}`, exact: true });
    await box(41).click();
    await box(45).click({ modifiers: ['Shift'] });
    await page.getByText('5 campaigns selected').waitFor();
    await picture(tab, 'campaigns-selected');
    expect(await tab.audit()).toEqual([]);
    await page.getByLabel('Move to a directory').selectOption('Spring');
    await page.getByText('5 campaigns moved to “Spring”.').waitFor();
    await page.goto(`${t.url}/console/demo/campaigns?where=${idDirectory}`);
    await expect.poll(() => rows.count(), soon).toBe(5);
    await page.getByRole('checkbox', { name: 'Select all of this page' }).click();
    const bar = page.getByRole('region', { name: 'Selection' });
    await bar.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('5 campaigns are archived.').waitFor();
    await page.getByText('No campaign is in this state.').waitFor();
    // The message of the move can still be undone too.
    const archivedToast = page.locator('.toast', { hasText: '5 campaigns are archived.' });
    await archivedToast.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => rows.count(), soon).toBe(5);
    await page.getByRole('checkbox', { name: 'Select all of this page' }).click();
    await bar.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByText('5 campaigns duplicated as drafts.').waitFor();
    await expect.poll(() => rows.count(), soon).toBe(10);
    expect(await page.title()).not.toContain('alert');
    expect(tab.faults).toEqual([]);
    await tab.close();
  });

  it('is readable in both themes, widths and languages', patience, async () => {
    await auditEverywhere(t, '/campaigns', /^Letter 9/, 'campaigns');
  });
});
