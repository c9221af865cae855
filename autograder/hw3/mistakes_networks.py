"""What mistakes in the given networks, critics and agents say to a student."""

from __future__ import annotations

from autograder.mistakes import Mistake

SETTINGS = "docs/hw3.md, Settings"
GLOSSARY = "docs/hw3.md, Glossary"
TARGET = "Mnih et al. 2015, algorithm 1; docs/hw3.md, DQN: replay and a target network"
MODULES = "PyTorch documentation, torch.nn.Module (parameters, buffers, train and eval)"
OPTIM = "PyTorch documentation, torch.optim (Constructing it)"
GRAD = "PyTorch documentation, Autograd mechanics (Locally disabling gradient computation)"
ACTOR = "docs/hw3.md, Actor-critic with a bootstrapped critic"
CALLS = "docs/hw3.md, DQN: replay and a target network (One step of the agent)"

MISTAKES: dict[str, Mistake] = {
    "network.depth": Mistake(
        "A network has another number of hidden layers than asked for.",
        "The settings `n_layers` of two runs then compare something else than they say.",
        SETTINGS,
    ),
    "network.width": Mistake(
        "A network's layers have other sizes than asked for.",
        "Print the network, and compare each layer with the settings and with the sizes of "
        "observations and actions.",
        SETTINGS,
    ),
    "network.agent_sizes": Mistake(
        "The agent builds its networks with other sizes than it was given.",
        "Each network is fine by itself, but the agent asks for another one. In which order do "
        "its arguments stand?",
        SETTINGS,
    ),
    "network.linear": Mistake(
        "There is no activation between the layers of a network.",
        "Many linear layers are one linear layer: the network cannot represent more than a plane.",
        SETTINGS,
    ),
    "network.hidden_activation": Mistake(
        "Hidden layers have another activation than asked for.",
        "The activation that `build_mlp` is called with does not reach its layers.",
        SETTINGS,
    ),
    "network.output_activation": Mistake(
        "There is an activation on a network's output.",
        "Your network cannot represent some values: returns have no bound, and a mean or a logit "
        "may be any number. What stands after its last layer?",
        ACTOR,
    ),
    "network.value_shape": Mistake(
        "Values have a spare axis.",
        "Shape (n, 1) minus shape (n,) becomes (n, n) without a word: each value is then compared"
        " with every target.",
        GLOSSARY,
    ),
    "network.not_an_array": Mistake(
        "A tensor comes where an array was promised.",
        "Whoever calls goes on in NumPy. A tensor keeps its graph, and the two mix badly.",
        GLOSSARY,
    ),
    "network.forward_np_differs": Mistake(
        "`forward_np` and `forward` give different values.",
        "What advantages are computed from is then not what is fitted.",
        ACTOR,
    ),
    "network.no_gradient": Mistake(
        "A network's forward pass records no gradient.",
        "Nothing can be learned from a loss without history. Where are gradients switched off?",
        GRAD,
    ),
    "network.gradient_left_off": Mistake(
        "Gradients are switched off and never on again.",
        "After the first call nothing in the whole program learns any more.",
        GRAD,
    ),
    "network.mode_left": Mistake(
        "A network is left in evaluation mode after it was asked for values.",
        "Which mode is your network in while it learns? Dropout and batch normalisation do "
        "nothing from then on.",
        MODULES,
    ),
    "network.layers_unregistered": Mistake(
        "Some layers are invisible to the optimizer.",
        "Layers in a plain list are found neither by `parameters()` nor by `state_dict()`: they "
        "keep their first weights, and no copy takes them along.",
        MODULES,
    ),
    "network.parameters_used_up": Mistake(
        "An iterator of parameters is used twice.",
        "`parameters()` can be walked through once: whoever comes second sees an empty network, "
        "here the optimizer.",
        OPTIM,
    ),
    "network.clips_nothing": Mistake(
        "Gradients are not clipped.",
        "Large gradients pass unhindered. What does the clipping walk through, and has somebody "
        "walked through it before?",
        OPTIM,
    ),
    "network.optimizer_holds_other": Mistake(
        "The network that is trained is not the one that is used.",
        "The optimizer holds the weights of a network that was replaced or is not in use. When is"
        " the network made, and when the optimizer?",
        OPTIM,
    ),
    "network.optimizer_misses": Mistake(
        "Some weights of a network are in no optimizer.",
        "They keep their first values for ever. Which parameters does the optimizer get?",
        OPTIM,
    ),
    "network.target_in_optimizer": Mistake(
        "The optimizer holds the target network's weights too.",
        "The network that should stand still between copies is one stray gradient away from "
        "moving.",
        TARGET,
    ),
    "network.learning_rate": Mistake(
        "The optimizer has another learning rate than asked for.",
        "The setting has no effect. Which number does the optimizer get?",
        SETTINGS,
    ),
    "network.logstd_not_trained": Mistake(
        "The spread of a continuous policy is not trained.",
        "`logstd` is a parameter like the network's: without an optimizer the policy stays as "
        "wide as on the first day.",
        ACTOR,
    ),
    "network.target_shared": Mistake(
        "The target network shares layers with the online network.",
        "Your frozen network moves without being synced, and the targets with it.",
        TARGET,
    ),
    "network.differ_at_start": Mistake(
        "The two Q-networks are not equal at the start.",
        "Until the first copy, targets come from a random network that nobody trained.",
        TARGET,
    ),
    "network.no_sync": Mistake(
        "Updating the target network changes nothing.",
        "Targets come for ever from the network of the first day.",
        TARGET,
    ),
    "network.sync_reversed": Mistake(
        "The target network is copied into the online one.",
        "Each sync throws away all that was learned since the last one.",
        TARGET,
    ),
    "network.sync_moves_online": Mistake(
        "Updating the target network changes the online network.",
        "A copy leaves its source as it is.",
        TARGET,
    ),
    "network.sync_partial": Mistake(
        "After a sync the target network is not equal to the online one.",
        "DQN copies all of it at once. A small step towards it at every so many thousandth update"
        " hardly moves it at all.",
        TARGET,
    ),
    "network.schedule": Mistake(
        "The learning rate does not follow its schedule.",
        "The schedule moves on by one for each update: no more, no less.",
        "PyTorch documentation, torch.optim, 'How to adjust learning rate'",
    ),
    "network.buffers_not_copied": Mistake(
        "Copying parameters does not copy everything the network uses.",
        "Batch normalisation, for one, keeps its averages in buffers: the target network goes on "
        "with those of the first day.",
        MODULES,
    ),
    "network.sync_shares": Mistake(
        "After a sync the target network moves together with the online one.",
        "It was not copied, but made the same object or the same memory.",
        TARGET,
    ),
    "network.qa_of_target": Mistake(
        "Action values are the target network's.",
        "The policy acts on what was known thousands of steps ago.",
        TARGET,
    ),
    "network.learns_too_early": Mistake(
        "DQN learns before `learning_starts`.",
        "The first updates see next to nothing, over and over.",
        CALLS,
    ),
    "network.learns_from_too_few": Mistake(
        "DQN learns although memory cannot fill a batch.",
        "What is drawn then is the same few transitions many times, or nothing at all.",
        CALLS,
    ),
    "network.learning_freq": Mistake(
        "DQN does not learn at every `learning_freq`-th step.",
        "More or fewer updates than steps allow for change what every other setting means.",
        CALLS,
    ),
}
