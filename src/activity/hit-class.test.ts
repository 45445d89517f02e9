import { describe, expect, it } from 'vitest';
import { classifyHit, hitClasses, isMobileAgent, judgeAgain, machineClasses } from './hit-class.ts';

const { human, mpp, imageProxy, scanner } = hitClasses;
const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const pixel =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Mobile Safari/537.36';
const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36';
const outlook = 'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.12026; Pro)';
const gmail = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';

describe('classes of hits', () => {
  it.each([
    ['GET', windows, human],
    ['GET', iPhone, human],
    ['GET', pixel, human],
    ['GET', outlook, human],
    ['GET', 'Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Thunderbird/115.3.1', human],
    ['GET', 'Outlook-iOS/709.2226530.prod.iphone (3.24.1)', human],
    ['GET', 'Mozilla/5.0', mpp],
    ['GET', gmail, imageProxy],
    ['GET', 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html', imageProxy],
    ['GET', '', scanner],
    ['GET', '  ', scanner],
    ['HEAD', windows, scanner],
    ['HEAD', gmail, scanner],
    ['GET', 'curl/8.1', scanner],
    ['GET', 'python-requests/2.31', scanner],
    ['GET', 'Barracuda Sentinel (EE)', scanner],
    ['GET', 'Mozilla/5.0 (compatible; bingbot/2.0)', scanner],
    ['GET', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/120 Safari/537.36', scanner],
    ['GET', 'Mozilla/5.0 (Windows NT 10.0; Trident/7.0; rv:11.0) like Gecko BingPreview/1.0b', scanner],
  ])('%s by %j is %i', (method, userAgent, expected) => {
    expect(classifyHit(method, userAgent)).toBe(expected);
  });

  it.each([
    // Distinguished from people since the second rules. A HEAD request keeps its class, and so do newer judgements.
    [{ class: human, rulesVersion: 1, userAgent: 'Checker/1' }, scanner],
    [{ class: scanner, rulesVersion: 1, userAgent: 'Reader/1' }, human],
    [{ class: scanner, rulesVersion: 1, userAgent: windows }, scanner],
    [{ class: human, rulesVersion: 1, userAgent: windows }, human],
    [{ class: mpp, rulesVersion: 3, userAgent: windows }, mpp],
  ])('%j becomes %i when rules change', (judged, expected) => {
    const first = (method: string, agent: string) =>
      method === 'HEAD' || agent === 'Reader/1' ? scanner : human;
    const second = (method: string, agent: string) =>
      method === 'HEAD' || agent === 'Checker/1' ? scanner : human;
    expect(judgeAgain(judged, [first, second])).toBe(expected);
  });

  it('count an open through a picture proxy as human', () => {
    expect(machineClasses).not.toContain(imageProxy);
    expect(machineClasses).toEqual([mpp, scanner, hitClasses.burst]);
  });

  it.each([
    [iPhone, true],
    [pixel, true],
    ['Outlook-iOS/709.2226530.prod.iphone (3.24.1)', true],
    ['Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X)', true],
    [windows, false],
    [outlook, false],
    [gmail, false],
    ['', false],
  ])('%j on a mobile: %s', (userAgent, expected) => {
    expect(isMobileAgent(userAgent)).toBe(expected);
  });
});
