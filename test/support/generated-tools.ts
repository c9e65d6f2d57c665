import type { CatalogueEntry } from '../../src/contract/catalogue/index.ts';
import { seededRandom } from '../../testkit/sample.ts';

/**
 * Services as people connect them, with the things each deals in. None of them reads files, runs
 * commands, keeps tables or a knowledge graph or looks at code: those requests have other answers.
 */
const services: Readonly<Record<string, string>> = {
  calendar:
    'event, meeting invitation, availability slot, reminder, attendee, room booking, holiday',
  mailbox: 'email, email draft, mail thread, mail label, spam filter, signature, mailing list',
  teamchat: 'channel, chat message, direct message, reaction, user group, huddle, pinned post',
  crm: 'contact, lead, deal, sales pipeline, account manager, campaign, customer segment',
  helpdesk:
    'ticket, support agent, canned reply, satisfaction survey, escalation, support queue, SLA policy',
  issuetracker: 'issue, sprint, epic, backlog item, bug report, milestone, story point estimate',
  githost: 'pull request, branch, release, fork, webhook, deploy key, code owner, repository star',
  ci: 'pipeline, build job, build artifact, runner, deployment, environment approval, build badge',
  cloudcompute:
    'virtual machine, machine snapshot, load balancer, autoscaling group, elastic address, placement group',
  objectstore:
    'bucket, object version, lifecycle rule, presigned link, replication rule, bucket policy',
  kubernetes:
    'pod, deployment rollout, namespace, ingress, config map, cron job, node pool, service account',
  registry: 'container image, image tag, image scan, pull token, image retention policy',
  dns: 'domain, zone, nameserver, mail exchange entry, domain transfer, DNSSEC key',
  cdn: 'edge cache, purge job, origin, edge function, certificate, traffic rule',
  monitoring: 'alert, dashboard, uptime check, metric, incident, on-call shift, status page',
  payments: 'payment, refund, invoice, subscription, payout, coupon, dispute, payment method',
  accounting:
    'ledger account, journal entry, expense claim, tax rate, bank reconciliation, balance sheet',
  shop: 'product listing, shopping cart, order, gift card, shipping label, stock level, product review',
  shipping: 'parcel, courier pickup, customs form, delivery route, tracking event, warehouse bin',
  hr: 'employee, leave request, job opening, candidate, payslip, performance appraisal, org chart',
  payroll: 'salary, timesheet, bonus, pension contribution, overtime claim, tax withholding',
  learning: 'course, quiz, student enrolment, grade, certificate of completion, lesson plan',
  survey: 'questionnaire, survey response, question bank, respondent panel, net promoter score',
  social: 'social post, follower, hashtag, story, comment reply, ad campaign, direct mention',
  video:
    'video, playlist, subtitle track, live stream, video chapter, thumbnail, channel statistic',
  music: 'song, music playlist, album, artist, podcast episode, listening queue, lyrics',
  photos: 'photo album, face tag, photo slideshow, shared gallery, print order',
  maps: 'route, place, travel time, traffic jam, geocode, public transport stop, bike lane',
  weather: 'forecast, storm warning, air quality reading, rain radar, pollen count, sunrise time',
  flights: 'flight, seat, boarding pass, airport lounge, baggage claim, flight delay',
  hotels: 'hotel room, hotel reservation, room rate, hotel review, late checkout, loyalty point',
  trains: 'train connection, train ticket, platform change, rail pass, seat reservation',
  restaurants: 'restaurant, dinner reservation, menu, dish, table waitlist, food delivery order',
  smarthome: 'light, thermostat, door lock, window blind, motion sensor, scene, robot vacuum',
  vehicle: 'car, charging session, tyre pressure, car key, trip log, parking spot',
  fitness: 'workout, running route, heart rate zone, sleep score, training plan, step goal',
  health: 'appointment, prescription, lab result, vaccination, allergy, insurance claim',
  banking: 'bank account, money transfer, standing order, credit card, exchange rate, savings goal',
  stocks: 'share price, portfolio, stock order, dividend, watchlist, market index',
  crypto: 'wallet, coin price, blockchain transaction, gas fee, staking reward',
  realestate:
    'apartment, house viewing, mortgage offer, tenant, rental contract, energy certificate',
  legal: 'contract, signature request, clause, legal case, court date, trademark',
  news: 'headline, news source, news topic, press release, editorial, fact check',
  translation: 'translation, glossary term, language pair, translation memory, interpreter booking',
  design: 'design board, design component, colour palette, prototype, design comment, icon set',
  wiki: 'wiki page, wiki space, page comment, page template, page watcher, page history',
  notes: 'notebook, sticky note, checklist, voice memo, web clipping',
  tasks: 'to-do item, to-do list, kanban board, kanban card, due date, habit',
  identity:
    'user account, login session, role, single sign-on connection, multi-factor device, access policy',
  featureflags: 'feature flag, experiment, rollout percentage, flag audience, kill switch',
  analytics: 'funnel, page view, cohort, conversion goal, visitor session, attribution model',
  printing: 'print job, printer, ink cartridge, paper tray, scan to mail',
  telephony: 'phone call, voicemail, phone number, call queue, text message, call transcript',
  games: 'player, match, leaderboard, achievement, game lobby, virtual item',
  library: 'book, book loan, reading list, author, book club, fine',
  events: 'concert ticket, venue, speaker, conference session, guest list, seating plan',
};

const verbs: readonly (readonly [verb: string, says: string])[] = [
  ['create', 'Creates a new {noun} in {service} and returns its id'],
  ['get', 'Returns one {noun} of {service} by its id'],
  ['list', 'Lists each {noun} in {service}, newest first, page by page'],
  ['update', 'Changes the fields of a {noun} in {service}'],
  ['delete', 'Deletes a {noun} from {service} for good'],
  ['search', 'Searches {service} for a {noun} by keyword and date'],
  ['archive', 'Archives a {noun} in {service} so that it is hidden and can be restored'],
  ['share', 'Shares a {noun} of {service} with other people'],
  ['export', 'Exports every {noun} of {service} for a period as a report'],
  ['assign', 'Assigns a {noun} in {service} to somebody'],
  ['duplicate', 'Makes a copy of a {noun} in {service}'],
  ['schedule', 'Schedules a {noun} in {service} for a later time'],
];

/** The same tools for the same seed, spread over all services, no two alike. */
export function generateTools(count: number, seed = 7): CatalogueEntry[] {
  const random = seededRandom(seed);
  const all = Object.entries(services).flatMap(([service, nouns]) =>
    nouns.split(', ').flatMap((noun) => verbs.map((verb) => aTool(service, noun, verb))),
  );
  return all
    .map((entry) => ({ entry, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ entry }) => entry);
}

function aTool(
  server: string,
  noun: string,
  [verb, says]: readonly [string, string],
): CatalogueEntry {
  const name = `${verb}_${noun.toLowerCase().replace(/[^a-z]+/g, '_')}`;
  const description = `${says.replace('{noun}', noun).replace('{service}', server)}.`;
  const properties: Record<string, object> = {
    id: { type: 'string', description: `The id of the ${noun}.` },
    note: { type: 'string', description: 'Kept with the change.' },
    limit: { type: 'integer', minimum: 1, maximum: 100 },
  };
  return {
    name: `${server}.${name}`,
    wireName: `${server}__${name}`,
    server,
    tool: { name, description, inputSchema: { type: 'object', properties, required: ['id'] } },
  };
}
