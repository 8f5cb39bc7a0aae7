import "./styles/base.css";
import "./styles/shell.css";
import "./styles/board.css";
import "./styles/play.css";
import "./board/board.ts";
import { Shell } from "./app/shell.ts";
import { installTheme } from "./app/theme.ts";
import { loadRules } from "./engine/rules.ts";
import { installOffline } from "./app/offline.ts";

installTheme();
void loadRules();
new Shell().start();
installOffline();
