// The dashboard: asks the server once a second, and gives what it says to the parts of the page.

import { keepToken } from "./api.js";
import { CertificateTable } from "./certificates.js";
import { askedToken } from "./dialogs.js";
import { byId } from "./dom.js";
import { History } from "./history.js";
import { LoopTable } from "./loops.js";
import { Overview } from "./overview.js";
import { poll } from "./polling.js";
import { PoolTable } from "./pools.js";
import { RequestTable } from "./requests.js";
import { RetiringTable } from "./retiring.js";
import { Status } from "./status.js";
import { themeSwitch } from "./theme.js";
import { TroubleTable } from "./troubles.js";
import { WindowTable } from "./window.js";

const history = new History();
const status = new Status();
const overview = new Overview();
const tables = [
  new RequestTable(),
  new PoolTable(),
  new RetiringTable(),
  new WindowTable(),
  new TroubleTable(),
  new LoopTable(),
  new CertificateTable(),
];

themeSwitch(byId("theme"), () => overview.recolour());

void poll({
  seen(snapshot) {
    const now = performance.now() / 1000;
    history.add(snapshot.stats, now);
    status.seen(snapshot);
    overview.update(snapshot.stats, history, now);
    for (const table of tables) table.update(snapshot);
  },
  gone(since) {
    status.gone(since);
  },
  async refused(refusal) {
    keepToken(await askedToken(refusal.message));
  },
});
