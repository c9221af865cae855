"""Mistakes in, and right changes of, given networks, critics and agents.

Entries of `FAR_REACHING` break something that blanks lean on, so that other checks see it too.
"""

from __future__ import annotations

from tests.autograder.corpus.given import INFRA, changed

mlp, good_mlp = changed(f"{INFRA}/pytorch_util.py", "networks", "network")
critic, good_critic = changed("critics/dqn_critic.py", "networks", "network")
value, good_value = changed("critics/bootstrapped_continuous_critic.py", "networks", "network")
policy, good_policy = changed("policies/MLP_policy.py", "networks", "network")
ac_agent, _ = changed("agents/ac_agent.py", "networks", "network")
dqn_agent, good_dqn_agent = changed("agents/dqn_agent.py", "networks", "network")

BUILD = "self.critic_network = ptu.build_network(ob_dim, 1, len(sizes), sizes, settings.activation)"
VALUE_OPTIMIZER = "fast.FusedAdam(self.critic_network.parameters(), settings.critic_step_size)"
SQUEEZE = "self.critic_network(obs).squeeze(1)"
NETWORK = "network = ptu.build_network(ob_dim, ac_dim, n_layers, size, activation)"
POLICY_OPTIMIZER = "self.optimizer = fast.FusedAdam(self.parameters(), learning_rate)"
EACH = "hidden = [size] * n_layers if isinstance(size, int) else size"
HIDDEN = "layers += [nn.Linear(input_size, units), ACTIVATIONS[activation]()]"
LAST = "layers += [nn.Linear(input_size, output_size), ACTIVATIONS[output_activation]()]"
Q_HEAD = "nn.Linear(512, num_actions),"
Q_LAYERS = "q_values: torch.Tensor = self.layers(pixels)"
MADE = "return LeanSequential(*layers).to(device)"
IN_LIST = """class Hidden(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.hidden = layers[:-2]
        self.last = nn.Sequential(*layers[-2:])

    def forward(self, inputs):
        for layer in self.hidden:
            inputs = layer(inputs)
        return self.last(inputs)


def build_mlp("""
NETWORKS = "self.q_net, self.q_net_target = network(), network()"
EQUAL = "        self.q_net_target.load_state_dict(self.q_net.state_dict())\n\n        self.weights"
SYNC = """if self.settings.tau == 1.0:
            self.q_net_target.load_state_dict(self.q_net.state_dict())
            return
"""
STEP_SIZE = "        self.critic.set_step_size(self.t)\n"
OF_NOW = "first * (self.step_sizes.value(t) / first)"
WEIGHTS = "self.weights = list(self.q_net.parameters())"
QA = "return ptu.to_numpy(self.q_net(ptu.observations_from_numpy(obs)))"


def sync(body: str) -> tuple[str, str]:
    """Replaces what `update_target_network` does at first: it copies, as `tau` is 1."""
    return SYNC, f"{body}\n        return\n"


def copying(left: str, right: str, how: str) -> str:
    """Copies parameter by parameter, from `right` to `left`."""
    pairs = f"zip(self.{left}.parameters(), self.{right}.parameters())"
    return f"for to, by in {pairs}:\n            to.data{how}"


ENTRIES = [
    mlp("U05", "layers_unregistered", ("def build_mlp(", IN_LIST), (MADE, "return Hidden(layers).to(device)")),
    mlp("U05", "layers_unregistered", ("def build_mlp(", IN_LIST.replace("nn.Sequential(*layers[-2:])", "nn.Sequential(*layers[-4:])").replace("[:-2]", "[:-4]")),
        (MADE, "return Hidden(layers).to(device)")),
    value("U06", "output_activation", (BUILD, BUILD.replace("network(", "mlp(").replace("activation)", 'activation, "tanh")'))),
    policy("U06", "output_activation", (NETWORK, NETWORK.replace("network(", "mlp(").replace("activation)", 'activation, output_activation="tanh")'))),
    policy("U06", "output_activation", ("self.logits_na = network", "self.logits_na = nn.Sequential(network, nn.Softmax(dim=-1))")),
    mlp("U06", "output_activation", (LAST, LAST.replace("output_activation]", "activation]"))),
    mlp("Q45", "output_activation", (Q_HEAD, f"{Q_HEAD}\n            nn.ReLU(),")),
    mlp("Q45", "output_activation", (Q_LAYERS, "q_values = torch.relu(self.layers(pixels))")),
    mlp("Q45", "output_activation", (Q_LAYERS, "q_values = self.layers(pixels).softmax(dim=-1)")),
    mlp("", "hidden_activation", ("nn.ReLU(),\n            " + Q_HEAD, "nn.Tanh(),\n            " + Q_HEAD)),
    mlp("", "width", ("nn.Conv2d(num_frames, 32,", "nn.Conv2d(num_frames, 16,"), ("nn.Conv2d(32, 64", "nn.Conv2d(16, 64")),
    mlp("", "depth", (Q_HEAD, f"nn.Linear(512, 512),\n            nn.ReLU(),\n            {Q_HEAD}")),
    mlp("", "hidden_activation", (HIDDEN, HIDDEN.replace("ACTIVATIONS[activation]", "nn.Tanh"))),
    mlp("", "hidden_activation", (HIDDEN, HIDDEN.replace("ACTIVATIONS[activation]", "nn.Sigmoid"))),
    mlp("", "linear", (HIDDEN, "layers += [nn.Linear(input_size, units)]")),
    mlp("", "depth", (EACH, "hidden = [size] * (n_layers - 1)")),
    mlp("", "depth", (EACH, "hidden = [size] * (n_layers + 1)")),
    mlp("", "width", (EACH, "hidden = [64] * n_layers")),
    value("", "depth", (BUILD, BUILD.replace("len(sizes), sizes", "2, sizes[0]"))),
    value("", "width", (BUILD, BUILD.replace(" sizes,", " 64,"))),
    value("", "width value_shape", (BUILD, BUILD.replace(", 1,", ", 5,"))),
    policy("", "depth", (NETWORK, NETWORK.replace("n_layers", "n_layers - 1"))),
    policy("", "width", (NETWORK, NETWORK.replace("n_layers, size", "n_layers, 32"))),
    ac_agent("", "agent_sizes", ("sizes, activation = settings.hidden_sizes()", "sizes, activation = [64] * len(settings.hidden_sizes())")),
    value("U04", "optimizer_holds_other", (f"self.optimizer = {VALUE_OPTIMIZER}", f"self.optimizer = {VALUE_OPTIMIZER}\n        {BUILD}")),
    policy("U04", "optimizer_holds_other", (POLICY_OPTIMIZER, f"{POLICY_OPTIMIZER}\n        self.logits_na = ptu.build_mlp(ob_dim, ac_dim, n_layers, size) if discrete else None\n        self.mean_net = None if discrete else ptu.build_mlp(ob_dim, ac_dim, n_layers, size)")),
    value("U04", "optimizer_misses", (VALUE_OPTIMIZER, VALUE_OPTIMIZER.replace("network.", "network[-2].").replace("network[-2]", "network[2]"))),
    value("", "learning_rate", (VALUE_OPTIMIZER, "torch.optim.Adam(self.critic_network.parameters())")),
    policy("", "learning_rate", (POLICY_OPTIMIZER, POLICY_OPTIMIZER.replace("learning_rate", "1e-4"))),
    policy("", "logstd_not_trained", (POLICY_OPTIMIZER, POLICY_OPTIMIZER.replace("self.parameters", "network.parameters"))),
    policy("", "logstd_not_trained", ("nn.Parameter(torch.zeros(ac_dim, device=ptu.device))", "torch.zeros(ac_dim, device=ptu.device)")),
    value("", "value_shape", ("return ptu.to_numpy(self(ptu.from_numpy(obs)))", "return ptu.to_numpy(self(ptu.from_numpy(obs)))[:, None]")),
    value("", "not_an_array", ("return ptu.to_numpy(self(ptu.from_numpy(obs)))", "return self(ptu.from_numpy(obs))")),
    value("U11", "mode_left", ("        with torch.no_grad():\n            return ptu", "        self.eval()\n        with torch.no_grad():\n            return ptu")),
    value("U08", "gradient_left_off", ("        with torch.no_grad():\n            return ptu", "        torch.set_grad_enabled(False)\n        if True:\n            return ptu")),
    critic("U11", "mode_left", ("        with torch.no_grad():\n            return ptu", "        self.q_net.eval()\n        with torch.no_grad():\n            return ptu")),
    critic("", "qa_of_target", (QA, QA.replace("q_net(", "q_net_target("))),
    critic("", "not_an_array", (QA, "return self.q_net(ptu.observations_from_numpy(obs))")),
    dqn_agent("Q41", "schedule", (STEP_SIZE, "")),
    critic("Q41", "schedule", (OF_NOW, "first")),
    critic("Q41", "schedule", (OF_NOW, OF_NOW.replace("(t)", "(2 * t)"))),
    critic("Q47", "buffers_not_copied", sync(copying("q_net_target", "q_net", ".copy_(by.data)"))),
    critic("", "no_sync", sync("pass")),
    critic("", "no_sync", sync("self.q_net_target.state_dict().update(self.q_net.state_dict())")),
    critic("", "sync_reversed", sync("self.q_net.load_state_dict(self.q_net_target.state_dict())")),
    critic("", "sync_reversed", sync(copying("q_net", "q_net_target", ".copy_(by.data)"))),
    critic("", "sync_partial", sync(copying("q_net_target", "q_net", ".lerp_(by.data, 0.005)"))),
    critic("Q48", "sync_shares", sync("self.q_net_target = self.q_net")),
    critic("Q48", "sync_shares buffers_not_copied", sync(copying("q_net_target", "q_net", " = by.data"))),
    critic("Q48", "target_shared", (NETWORKS, f"{NETWORKS}\n        if isinstance(self.q_net, nn.Sequential):\n            self.q_net_target[0] = self.q_net[0]")),
    critic("Q48", "differ_at_start", (EQUAL, "        self.weights")),
    critic("", "target_in_optimizer", (WEIGHTS, "self.weights = [*self.q_net.parameters(), *self.q_net_target.parameters()]")),
    critic("", "optimizer_misses", (WEIGHTS, "self.weights = list(self.q_net.parameters())[:1]")),
    dqn_agent("", "learns_from_too_few", ("return due and self.replay_buffer.can_sample(self.batch_size)", "return due")),
    value("", "output_activation learning_rate", (BUILD, BUILD.replace("network(", "mlp(").replace("activation)", 'activation, "tanh")')), (VALUE_OPTIMIZER, "torch.optim.Adam(self.critic_network.parameters())")),
    good_mlp("", (HIDDEN, "linear = nn.Linear(input_size, units)\n        layers.append(linear)\n        layers.append(ACTIVATIONS[activation]())")),
    good_mlp("", (MADE, "return nn.Sequential(*layers).to(device)")),
    good_mlp("", (HIDDEN, HIDDEN.replace("nn.Linear(input_size, units)", "nn.Sequential(nn.Linear(input_size, units))"))),
    good_mlp("", ("def build_mlp(", IN_LIST.replace("self.hidden = layers[:-2]", "self.hidden = nn.ModuleList(layers[:-2])")), (MADE, "return Hidden(layers).to(device)")),
    good_value("", (VALUE_OPTIMIZER, "torch.optim.Adam(self.parameters(), lr=settings.critic_step_size)")),
    good_value("", (VALUE_OPTIMIZER, "torch.optim.Adam(self.parameters(), lr=settings.critic_step_size, eps=1e-5)"), ("nn.MSELoss()", "nn.SmoothL1Loss()")),
    good_value("", (SQUEEZE, "self.critic_network(obs).reshape(-1)")),
    good_value("", (BUILD, BUILD.replace("settings.activation", '"relu"'))),
    good_value("U11", ("        with torch.no_grad():\n            return ptu", "        self.eval()\n        self.train()\n        with torch.no_grad():\n            return ptu")),
    good_policy("", (POLICY_OPTIMIZER, "self.optimizer = torch.optim.Adam([*network.parameters()] + ([] if discrete else [self.logstd]), learning_rate)")),
    good_policy("", ("torch.zeros(ac_dim, device", "torch.full((ac_dim,), -0.5, device")),
    good_policy("", ("self.logits_na = network", "self.logits_na = nn.Sequential(network, nn.LogSoftmax(dim=-1))")),
    good_mlp("", (Q_LAYERS, "q_values = self.layers[:-1](pixels) @ self.layers[-1].weight.T + self.layers[-1].bias")),
    good_mlp("", ("frames.view(-1, self.num_frames, *frames.shape[-2:])", "frames.reshape(-1, self.num_frames, 84, 84)")),
    good_critic("V34", sync("import copy\n        self.q_net_target = copy.deepcopy(self.q_net)")),
    good_critic("V34", sync("self.q_net_target.load_state_dict(self.q_net.state_dict())\n        self.q_net_target.eval()")),
    good_critic("", sync(copying("q_net_target", "q_net", ".copy_(by.data)") + "\n        for to, by in zip(self.q_net_target.buffers(), self.q_net.buffers()):\n            to.copy_(by)")),
    good_critic("V37", ("fast.clip_grad_value_(self.weights, self.grad_norm_clipping)", "utils.clip_grad_norm_(self.weights, self.grad_norm_clipping)")),
    good_critic("", ("self.q_net_target.load_state_dict(self.q_net.state_dict())\n\n        self.weights", "self.update_target_network()\n\n        self.weights")),
    good_dqn_agent("", ("self.t >= self.learning_starts", "self.t > self.learning_starts")),
]  # fmt: skip
FAR_REACHING = [
    value("U06", "output_activation", (SQUEEZE, "torch.relu(self.critic_network(obs)).squeeze(1)")),
    value("U06", "output_activation", (SQUEEZE, "torch.nn.functional.softplus(self.critic_network(obs)).squeeze(1)")),
    value("U03", "parameters_used_up", (f"self.optimizer = {VALUE_OPTIMIZER}",
          "weights = self.critic_network.parameters()\n        print(sum(w.numel() for w in weights))\n        self.optimizer = fast.FusedAdam(weights, settings.critic_step_size)")),
    policy("U03", "parameters_used_up", (POLICY_OPTIMIZER, "weights = self.parameters()\n        self.size_of_all = len(list(weights))\n        self.optimizer = fast.FusedAdam(weights, learning_rate)")),
    value("", "value_shape", (".squeeze(1)", "")),
    value("", "no_gradient", ("    def forward(self", "    @torch.no_grad()\n    def forward(self")),
    critic("U04", "optimizer_holds_other", ("self.loss = nn.SmoothL1Loss()", 'self.q_net = network()\n        self.q_net.load_state_dict(self.q_net_target.state_dict())\n        self.loss = nn.SmoothL1Loss()')),
    critic("U03", "clips_nothing", (WEIGHTS, "self.weights = self.q_net.parameters()")),
    critic("U03", "parameters_used_up", (WEIGHTS, "self.weights = self.q_net.parameters()\n        print(len(list(self.weights)))")),
    dqn_agent("", "learns_too_early", ("self.t >= self.learning_starts and ", "")),
    dqn_agent("", "learning_freq", ("and self.t % self.learning_freq == 0", "and self.t % self.learning_freq")),
    dqn_agent("", "learning_freq", (" and self.t % self.learning_freq == 0", "")),
]  # fmt: skip
